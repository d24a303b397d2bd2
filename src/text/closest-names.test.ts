import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closestNames } from './closest-names.ts'

const KNOWN = ['allowed_domains', 'description', 'enabled', 'env', 'name', 'url', 'version']

test('closestNames() names what was probably meant, the nearest first', () => {
  assert.deepEqual(closestNames('alowed_domains', KNOWN), ['allowed_domains'])
  assert.deepEqual(closestNames('EANBLED', KNOWN), ['enabled'])
  assert.deepEqual(closestNames('versoin', [...KNOWN, 'versions', 'version']), [
    'version',
    'versions',
  ])
  assert.deepEqual(closestNames('ab', ['abcd', 'abc', 'abd', 'abe']), ['abc', 'abd', 'abe'])
})

test('closestNames() names nothing that is not near', () => {
  assert.deepEqual(closestNames('colour', KNOWN), [])
  assert.deepEqual(closestNames('x', ['y', 'ab']), [])
  assert.deepEqual(closestNames('a'.repeat(101), ['a'.repeat(101)]), [])
})
