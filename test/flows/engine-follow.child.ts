/** A process whose only work is to follow one run, which sleeps for some seconds before a retry. */
import { callFailed } from '../../src/kernel/call-failure.ts'
import { never, openEngineHouse, startOf, type TestTool } from './engine-house.ts'

const [folder = ''] = process.argv.slice(2)
let calls = 0
const busy: TestTool = {
  name: 'busy',
  effect: 'remote-read',
  run() {
    calls += 1
    return calls === 1
      ? { ...callFailed('call.rate-limited', 'Too fast'), retryAfterSeconds: 5 }
      : { ok: true }
  },
}
await using house = await openEngineHouse({ folder, tools: [busy] })
await house.flows.start(startOf('r', { nodes: [{ id: 'busy', type: 'box.busy' }] }), never)
let state = 'running'
for (let after = 0; state === 'running'; ) {
  const { run, events } = await house.flows.follow('r', after, never)
  after = events.at(-1)?.number ?? after
  state = run.state
}
process.stdout.write(state)
