import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandHome } from './expand-home.ts'

const at = (text: string, ...folders: readonly string[]): string =>
  expandHome(text, { homeFolder: '/home/ann', folders })

test('a path in the home is written out for a server that was given a folder around it', () => {
  assert.equal(at('~/notes/a.md', '/home/ann/notes'), '/home/ann/notes/a.md')
  assert.equal(at('~/notes', '/home/ann/notes/'), '/home/ann/notes')
  assert.equal(at('~/notes', '/srv', '~/notes'), '/home/ann/notes')
  assert.equal(at('~', '/home/ann'), '/home/ann')
})

test('any other text stays as it was typed', () => {
  assert.equal(at('~/notes'), '~/notes')
  assert.equal(at('~/notes2', '/home/ann/notes'), '~/notes2')
  assert.equal(at('~/notes/../.ssh/id', '/home/ann/notes'), '~/notes/../.ssh/id')
  assert.equal(at('~bob/notes', '/home/ann', '/home'), '~bob/notes')
  assert.equal(at('about ~/notes', '/home/ann'), 'about ~/notes')
})
