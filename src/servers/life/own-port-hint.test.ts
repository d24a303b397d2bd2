import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../../kernel/server-id.ts'
import { ownPortHint } from './own-port-hint.ts'

const sandbox = {
  mode: 'bwrap',
  memoryLimitBytes: 1,
  readOnlyFs: true,
  allowTmp: true,
  readPaths: [],
  writePaths: [],
} as const
const it = { id: parseServerId('it'), sandbox }

test('ownPortHint() knows the words of Node and Python, and no other failure', () => {
  const node = 'connect EACCES 127.0.0.1:5037 - Local (0.0.0.0:0)'
  const python = 'Cannot connect to host localhost:5037 ssl:default [Permission denied]'
  for (const reason of [node, python])
    assert.match(ownPortHint(it, reason) ?? '', /own_ports = true/)
  for (const reason of ['EACCES: permission denied, open /x', 'connect ECONNREFUSED 127.0.0.1:1']) {
    assert.equal(ownPortHint(it, reason), undefined)
  }
})

test('ownPortHint() is silent where the server may connect to its ports', () => {
  const reason = 'connect EACCES ::1:5037'
  assert.ok(ownPortHint(it, reason))
  for (const more of [{ ownPorts: true }, { startsBrowser: true }, { mode: 'none' } as const]) {
    assert.equal(ownPortHint({ ...it, sandbox: { ...sandbox, ...more } }, reason), undefined)
  }
})
