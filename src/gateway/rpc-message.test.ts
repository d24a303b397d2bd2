import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage, type RpcError } from './rpc-message.ts'

const code = (value: unknown): number => {
  try {
    readMessage(value)
  } catch (error) {
    return (error as RpcError).code
  }
  return 0
}

test('readMessage() tells requests, notifications and answers apart', () => {
  const base = { jsonrpc: '2.0' }
  assert.deepEqual(readMessage({ ...base, id: 1, method: 'ping' }), {
    kind: 'request',
    id: 1,
    method: 'ping',
    params: {},
  })
  assert.equal(readMessage({ ...base, method: 'notifications/x' }).kind, 'notification')
  assert.equal(readMessage({ ...base, id: 'a', result: {} }).kind, 'response')
})

test('readMessage() refuses anything else with the code of the specification', () => {
  const base = { jsonrpc: '2.0' }
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  assert.equal(code([{ ...base, id: 1, method: 'ping' }]), -32_600) // a batch
  assert.equal(code({ id: 1, method: 'ping' }), -32_600)
  assert.equal(code({ ...base, id: 1.5, method: 'ping' }), -32_600)
  assert.equal(code({ ...base, id: {}, method: 'ping' }), -32_600)
  assert.equal(code({ ...base, id: 1, method: 'ping', params: [] }), -32_602)
  assert.equal(code({ ...base, id: 1, result: {}, error: {} }), -32_600)
  assert.equal(code({ ...base, id: 1, method: 'ping', params: { deep } }), -32_600)
  for (const odd of [null, 1, 'x', undefined]) assert.equal(code(odd), -32_600)
})
