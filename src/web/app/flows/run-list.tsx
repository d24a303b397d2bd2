/** Runs of flows, the newest first: all of them, or those of one flow. */
import type { JSX } from 'preact'
import type { FlowRun } from '../../../ports/flow-port.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, Shown, Time } from '../parts/basics.tsx'
import { addressOf } from '../place.ts'
import { sayDuration } from './node-mark.ts'

const TONES = {
  running: 'idle',
  asking: 'locked',
  completed: 'connected',
  failed: 'error',
  cancelled: 'idle',
} as const

export function RunBadge({ state }: Pick<FlowRun, 'state'>): JSX.Element {
  return <Badge tone={TONES[state]} text={state === 'asking' ? 'asks you' : state} />
}

export function RunList({ flow }: { readonly flow?: string }): JSX.Element {
  const query = { limit: 100, ...(flow !== undefined && { flow }) }
  const live = useLive('flows.runs', query, ['flows', 'approval'])
  return (
    <Card title="Runs">
      <Shown live={live} what="runs">
        {({ runs }) => <Rows runs={runs} />}
      </Shown>
    </Card>
  )
}

/** The kernel that works on the run, or what each lacks that could not; nothing where there is only one kernel. */
export function Where({
  kernel,
  waitsFor,
}: {
  readonly kernel?: string | undefined
  readonly waitsFor?: string | undefined
}): JSX.Element | null {
  const text = waitsFor === undefined ? kernel && `on ${kernel}` : `waits: ${waitsFor}`
  return text === undefined ? null : (
    <span class="muted">
      <Foreign text={text} />
    </span>
  )
}

function Rows({ runs }: { readonly runs: readonly FlowRun[] }): JSX.Element {
  if (runs.length === 0) return <p class="muted">Nothing has run yet.</p>
  return (
    <ul class="rows">
      {runs.map(({ id, flow, state, startedAt, endedAt, problem, kernel, waitsFor }) => (
        <li key={id}>
          <Time iso={startedAt} />
          <RunBadge state={state} />
          <a href={addressOf('flows', 'runs', id)}>
            <Foreign text={flow} />
          </a>
          {endedAt !== undefined && (
            <span class="muted">{sayDuration(Date.parse(endedAt) - Date.parse(startedAt))}</span>
          )}
          <Where kernel={kernel} waitsFor={waitsFor} />
          {problem && (
            <span class="muted">
              <Foreign text={problem.message} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
