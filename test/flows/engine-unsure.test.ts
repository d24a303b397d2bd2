/** A write whose answer is missing or unreadable may have happened, so the owner is asked, whatever the failure was. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callFailed, type FailedCall, failureOfStatus } from '../../src/kernel/call-failure.ts'
import { never, startOf, type TestTool, untilState } from './engine-house.ts'
import { openWithTools } from './engine-tools.ts'

const UNSURE: readonly FailedCall[] = [
  callFailed('call.timeout', 'Tool call timed out after 30s'),
  callFailed('call.lost', 'The server ended while it worked on the call: it exited with code 1'),
  callFailed('call.cancelled', 'The call was cancelled'),
  callFailed('call.unreadable', 'The answer of the server is larger than 10 MiB'),
  callFailed('call.unreachable', 'Cannot reach "api.example.com"'),
  { kind: 'failed', code: 'egress.unreachable', reason: 'Cannot reach "api.example.com"' },
  callFailed(failureOfStatus(408), 'The server answered with HTTP status 408'),
  callFailed(failureOfStatus(500), 'The server answered with HTTP status 500'),
  callFailed(failureOfStatus(524), 'The server answered with HTTP status 524'),
  { kind: 'failed', reason: 'read ECONNRESET' },
]
const SURE: readonly FailedCall[] = [
  callFailed(failureOfStatus(429), 'The server answered with HTTP status 429'),
  callFailed(failureOfStatus(422), 'The server answered with HTTP status 422'),
  callFailed('call.unavailable', 'Server "box" is not available: it exited'),
  { kind: 'failed', code: 'egress.private-address', reason: 'Cannot connect to "10.0.0.1"' },
  { kind: 'failed', reason: 'No such channel' },
  // A server that copies Cordon's message is not believed: only the code `call.unreadable` marks an unreadable answer.
  { kind: 'failed', reason: 'The server returned no result' },
]

async function isAskedAbout(failed: FailedCall): Promise<boolean> {
  const write: TestTool = {
    name: 'pay',
    effect: 'write',
    run: () => failed,
  }
  await using house = await openWithTools({}, [write])
  await house.flows.start(startOf('r', { nodes: [{ id: 'pay', type: 'box.pay' }] }), never)
  const run = await untilState(house.flows, 'r', ({ state }) => state !== 'running')
  return run.question?.kind === 'ambiguous'
}

for (const failed of UNSURE) {
  test(`it is asked about: ${failed.reason}`, async () => assert.ok(await isAskedAbout(failed)))
}

for (const failed of SURE) {
  test(`it was not done: ${failed.reason}`, async () => assert.ok(!(await isAskedAbout(failed))))
}
