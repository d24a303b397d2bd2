/** Flows that run by themselves, with their last runs, and what watches told lately. */
import type { JSX } from 'preact'
import type { ShownWatch } from '../../../api/watches.ts'
import type { FlowRun } from '../../../ports/flow-port.ts'
import type { ShownSchedule } from '../../../ports/schedule-port.ts'
import { sayTimes } from '../../../text/say-times.ts'
import { sayRules } from '../../../text/say-rules.ts'
import { showInterval } from '../../../text/show-interval.ts'
import { ask } from '../ask.ts'
import { useLive } from '../live.ts'
import { inWords } from '../in-words.ts'
import { Badge, Card, Foreign, Shown, Time } from '../parts/basics.tsx'
import { attempt, tellDone } from '../toasts.ts'

const READ_RUNS = 200
const SHOWN_RUNS = 5

export function Schedules(): JSX.Element {
  const schedules = useLive('flows.schedules', {}, ['flows'])
  const runs = useLive('flows.runs', { limit: READ_RUNS }, ['flows'])
  const all = runs.data.value?.runs ?? []
  return (
    <>
      <h1>Schedules</h1>
      <Shown live={schedules} what="schedules">
        {(data) =>
          data.schedules.length === 0 ? (
            <Card title="None yet">
              <p>
                A saved flow can run by itself, within what you allowed beforehand:{' '}
                <code>cordon flow schedule NAME "0 8 * * 1-5"</code>.
              </p>
            </Card>
          ) : (
            <ul class="servers">
              {data.schedules.map((schedule) => (
                <Item
                  key={schedule.name}
                  schedule={schedule}
                  runs={all.filter(({ flow }) => flow === schedule.name).slice(0, SHOWN_RUNS)}
                />
              ))}
            </ul>
          )
        }
      </Shown>
      <Watches />
    </>
  )
}

interface ItemProps {
  readonly schedule: ShownSchedule
  readonly runs: readonly FlowRun[]
}

function Item({ schedule, runs }: ItemProps): JSX.Element {
  const { name, cron, timezone, sinks, template, next, problem } = schedule
  return (
    <li class="card">
      <div class="card-head">
        <h2>{name}</h2>
        {next === undefined ? (
          <Badge tone="error" text="does not run" />
        ) : (
          <span class="muted">
            runs {inWords(next)} (<Time iso={next} />)
          </span>
        )}
      </div>
      {problem !== undefined && <p class="reason">{problem}</p>}
      <p class="muted">
        Runs {sayTimes(cron)} ({timezone}), within {template}; its answer goes to{' '}
        {sinks.length === 0 ? 'nobody' : sinks.join(', ')}. <code>{cron}</code>
        <br />
        {sayRules(schedule)}
      </p>
      <h3>Last runs</h3>
      {runs.length === 0 ? (
        <p class="muted">It has not run yet.</p>
      ) : (
        <ul class="rows">
          {runs.map((run) => (
            <Run key={run.id} run={run} />
          ))}
        </ul>
      )}
    </li>
  )
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'connected',
  failed: 'error',
  refused: 'error',
  asking: 'locked',
}

function Run({ run: { state, startedAt, problem } }: { readonly run: FlowRun }): JSX.Element {
  return (
    <li>
      <Time iso={startedAt} /> <Badge tone={TONES[state] ?? 'idle'} text={state} />
      {problem && <Foreign text={`${problem.message}.`} />}
    </li>
  )
}

function Watches(): JSX.Element {
  const live = useLive('watches.list', {}, ['flows', 'notices'])
  const stop = (number: number): void =>
    void attempt(async () => {
      await ask('watches.stop', { number })
      tellDone(`Watch ${number} has ended.`)
      await live.reload()
    })
  return (
    <Card title="Watches">
      <Shown live={live} what="watches">
        {({ watches }) =>
          watches.length === 0 ? (
            <p class="muted">
              Nothing is watched. Say <code>tell me when ~/notes/todo.txt changes</code> in the
              chat.
            </p>
          ) : (
            <ul class="watches" aria-label="Watched">
              {watches.map((watch) => (
                <WatchItem key={watch.number} watch={watch} onStop={() => stop(watch.number)} />
              ))}
            </ul>
          )
        }
      </Shown>
      <Told />
    </Card>
  )
}

function WatchItem({
  watch: { about, everyMs, nextAt, hasFailed },
  onStop,
}: {
  readonly watch: ShownWatch
  readonly onStop: () => void
}): JSX.Element {
  return (
    <li>
      <span>
        <strong>{about}</strong>{' '}
        <span class="muted">
          every {showInterval(everyMs)}; looks again {inWords(nextAt)}
        </span>{' '}
        {hasFailed && <Badge tone="error" text="the last look failed" />}
      </span>
      <button type="button" class="quiet" aria-label={`Stop watching ${about}`} onClick={onStop}>
        Stop
      </button>
    </li>
  )
}

/** A watch tells of a change by a notice; those that were seen are listed too. */
function Told(): JSX.Element {
  const live = useLive('notices.list', { all: true }, ['notices'])
  return (
    <>
      <h3>Told lately</h3>
      <Shown live={live} what="deliveries">
        {({ notices }) => {
          const told = notices.filter(({ kind }) => kind.startsWith('watch'))
          return told.length === 0 ? (
            <p class="muted">No watch has told anything yet.</p>
          ) : (
            <ul class="rows">
              {told.map(({ id, what, last, count }) => (
                <li key={id}>
                  <Time iso={last} /> <Foreign text={what} />
                  {count > 1 && <span class="muted">({count} times)</span>}
                </li>
              ))}
            </ul>
          )
        }}
      </Shown>
    </>
  )
}
