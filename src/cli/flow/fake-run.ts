/** A kernel whose one flow ends at once, for tests of `cordon run`. Never part of the program. */
import type { FlowCheck, FlowEvent, FlowRun } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import type { Answers } from '../fake-surface.ts'

export const RUN: FlowRun = {
  id: '0198c1a2-0000-7000-8000-000000000001',
  flow: 'echo',
  state: 'completed',
  principal: 'principal:owner',
  startedAt: '2030-01-01T00:00:00.000Z',
  stepsDone: 1,
}
export const CHECK: FlowCheck = {
  isSound: true,
  findings: [],
  needs: [],
  steps: [],
  safety: { effect: 'local-read', level: 'internal', sinks: [] },
  ir: {},
}
const STEP: FlowEvent = {
  number: 1,
  at: '',
  kind: 'step',
  node: 'echo',
  text: 'echo … done (3 ms)',
}

interface Told {
  readonly check?: FlowCheck
  readonly outputs?: Readonly<Record<string, Json>>
  readonly events?: readonly FlowEvent[]
}

export function kernel(
  run: FlowRun = RUN,
  { check = CHECK, outputs = { result: 'hello' }, events = [STEP] }: Told = {},
): Answers {
  return {
    'flows.list': async () => ({ flows: [] }),
    'flows.check': async () => check,
    'flows.start': async ({ id }) => ({ ...RUN, id: id ?? '', state: 'running' }),
    'flows.follow': async ({ after }) => ({ run, events: after === 0 ? events : [] }),
    'flows.show': async () => ({ ...run, steps: [], ir: {}, outputs }),
  }
}

export const need = (name: string, type = 'string'): FlowCheck => ({
  ...CHECK,
  needs: [{ name, type, required: true }],
})

export function started(calls: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return calls.find(([route]) => route === 'flows.start')?.[1] as Record<string, unknown>
}
