import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { effectOf } from './effect-of.ts'

const shutIn: ServerDefinition = {
  id: parseServerId('notes'),
  name: 'Notes',
  description: '',
  label: 'internal',
  transport: 'stdio',
  command: 'node',
  args: [],
  allowedDomains: [],
  enabled: true,
  scopes: [],
  env: {},
  auth: {},
  sandbox: {
    mode: 'bwrap',
    memoryLimitBytes: 2 ** 28,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: ['/srv/notes'],
    writePaths: [],
  },
  tools: { 'get page': { semantics: 'read' }, save: { semantics: 'write' } },
  config: {},
}

test('a sandbox without a network and without a writable path is proof of a read', () => {
  assert.equal(effectOf(shutIn, 'anything'), 'local-read')
})

test('one way out of the sandbox, and it is no proof', () => {
  const { sandbox } = shutIn
  const open: readonly Partial<ServerDefinition>[] = [
    { allowedDomains: ['api.example.com'] },
    { transport: 'stream-http' },
    { sandbox: { ...sandbox, writePaths: ['/srv/notes'] } },
    { sandbox: { ...sandbox, mode: 'none' } },
  ]
  for (const way of open) {
    assert.equal(effectOf({ ...shutIn, ...way }, 'anything'), 'write', JSON.stringify(way))
    assert.equal(effectOf({ ...shutIn, ...way }, 'get page'), 'remote-read')
    assert.equal(effectOf({ ...shutIn, ...way }, 'constructor'), 'write')
  }
})

test('the owner may call a tool a write, whatever the sandbox proves', () => {
  assert.equal(effectOf(shutIn, 'save'), 'write')
})
