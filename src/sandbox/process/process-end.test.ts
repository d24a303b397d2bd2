import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processEnd } from './process-end.ts'

const calm = { code: null, signal: null, memoryExceeded: false, lastWords: '' }
const FULL = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'

test('processEnd() tells an exit code from a signal, also one that bubblewrap passed on', () => {
  assert.deepEqual(processEnd({ ...calm, code: 3 }), { kind: 'exited', code: 3 })
  assert.deepEqual(processEnd({ ...calm, code: 143 }), { kind: 'signalled', signal: 'SIGTERM' })
  assert.deepEqual(processEnd({ ...calm, signal: 'SIGKILL' }), {
    kind: 'signalled',
    signal: 'SIGKILL',
  })
  assert.deepEqual(processEnd({ ...calm, code: 255 }), { kind: 'exited', code: 255 })
})

test('processEnd() says memory when the kernel, the watchdog or V8 said so', () => {
  assert.deepEqual(processEnd({ ...calm, code: 137, memoryExceeded: true }), { kind: 'memory' })
  assert.deepEqual(processEnd({ ...calm, code: 134, lastWords: FULL }), { kind: 'memory' })
  assert.deepEqual(processEnd({ ...calm, code: 1, lastWords: 'x\nMemoryError\n' }), {
    kind: 'memory',
  })
})

test('processEnd() believes neither a crash without the sentence nor the sentence without a crash', () => {
  assert.equal(processEnd({ ...calm, code: 134 }).kind, 'signalled')
  assert.equal(processEnd({ ...calm, code: 0, lastWords: FULL }).kind, 'exited')
  assert.equal(processEnd({ ...calm, code: 0, memoryExceeded: true }).kind, 'exited')
})
