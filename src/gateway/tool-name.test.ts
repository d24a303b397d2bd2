import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseServerId } from '../kernel/server-id.ts'
import { toolName } from './tool-name.ts'

const named = (server: string, name: string): string =>
  toolName({ server: parseServerId(server), name })

test('toolName() is the server and the tool where that is a name for models', () => {
  assert.equal(named('github', 'search_code'), 'github__search_code')
  assert.equal(named('my-files', 'read'), 'my-files__read')
})

test('toolName() of a long or odd name is readable, short enough and its own', () => {
  const long = named('notion', 'a'.repeat(80))
  assert.match(long, /^notion__a+_[0-9a-f]{10}$/)
  assert.equal(long.length, 64)
  assert.notEqual(named('notion', `${'a'.repeat(80)}b`), long)
  assert.match(named('notion', 'pages.read/all'), /^notion__pages_read_all_[0-9a-f]{10}$/)
})

test('toolName() gives no tool the name of another, also where names hold the separator', () => {
  assert.notEqual(named('a__b', 'c'), named('a', 'b__c'))
  const server = fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/)
  const tool = fc.tuple(server, fc.string({ minLength: 1, maxLength: 90 }))
  fc.assert(
    fc.property(tool, tool, ([a, one], [b, other]) => {
      const [first, second] = [named(a, one), named(b, other)]
      assert.match(first, /^[A-Za-z0-9_-]{1,64}$/)
      assert.equal(first === second, a === b && one === other)
    }),
  )
})
