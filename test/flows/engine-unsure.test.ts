/** A write whose answer did not come, or could not be read, may have been done: its owner is asked, whatever went wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never, startOf, type TestTool, untilState } from './engine-house.ts'
import { openWithTools } from './engine-tools.ts'

/** As the rooms of servers and of egress say it. */
const UNSURE = [
  'Tool call timed out after 30s',
  'The server ended while it worked on the call: it exited with code 1',
  'The connection ended before the answer was complete, or the answer is above 16 MiB',
  'The answer of the server is larger than 10 MiB',
  'The answer of the server does not fit its own schema: structured content is missing',
  'The server returned no result',
  'Cannot reach "api.example.com". Check the connection',
  'The server answered with HTTP status 408',
  'The server answered with HTTP status 500',
  'The server answered with HTTP status 524',
  'read ECONNRESET',
]
const SURE = [
  'The server answered with HTTP status 429',
  'The server answered with HTTP status 422',
  'Server "box" is not available: it exited',
  'Cannot connect to "api.example.com": it has no public address',
  'No such channel',
]

async function isAskedAbout(reason: string): Promise<boolean> {
  const write: TestTool = {
    name: 'pay',
    effect: 'write',
    run: () => ({ kind: 'failed', reason }),
  }
  await using house = await openWithTools({}, [write])
  await house.flows.start(startOf('r', { nodes: [{ id: 'pay', type: 'box.pay' }] }), never)
  const run = await untilState(house.flows, 'r', ({ state }) => state !== 'running')
  return run.question?.kind === 'ambiguous'
}

for (const reason of UNSURE) {
  test(`it is asked about: ${reason}`, async () => assert.ok(await isAskedAbout(reason)))
}

for (const reason of SURE) {
  test(`it was not done: ${reason}`, async () => assert.ok(!(await isAskedAbout(reason))))
}
