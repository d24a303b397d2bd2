import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../kernel/server-id.ts'
import { readFields } from './definition-schema.ts'

const read = (table: Parameters<typeof readFields>[1]) =>
  readFields(parseServerId('it'), table, '/home/me')

test('how a server on this machine is reached is read, and absent where nothing is said', () => {
  const local = { transport: 'uds', socket_path: '/run/it.sock', http_path: '/mcp' }
  assert.partialDeepStrictEqual(read(local), {
    definition: { transport: 'uds', socketPath: '/run/it.sock', httpPath: '/mcp' },
  })
  const here = { url: 'http://localhost:8080/mcp', dangerously_allow_http: true }
  assert.partialDeepStrictEqual(read(here), { definition: { dangerouslyAllowHttp: true } })
  const plain = read({ url: 'http://localhost:8080/mcp' })
  assert.ok(plain.kind === 'definition')
  assert.ok(!('dangerouslyAllowHttp' in plain.definition) && !('httpPath' in plain.definition))
})

test('an HTTP path that is none, and a weakening that is not plainly said, are mistakes', () => {
  for (const table of [{ http_path: 'mcp' }, { dangerously_allow_http: 'yes' }]) {
    const reading = read({ transport: 'uds', socket_path: '/run/it.sock', ...table })
    assert.equal(reading.kind, 'issues')
  }
})
