/** The schedule of a saved flow: when it runs by itself, where its result goes, and the next time in words. */
import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ShownSchedule } from '../../../ports/schedule-port.ts'
import { readTimes, TIMES_EXAMPLES } from '../../../text/read-times.ts'
import { sayTimes } from '../../../text/say-times.ts'
import {
  CATCH_UPS,
  OVERLAPS,
  sayCatchUp,
  sayOverlap,
  sayRules,
  USUAL_RULES,
} from '../../../text/say-rules.ts'
import { shellWord } from '../../../text/shell-word.ts'
import { useLive } from '../live.ts'
import { Card, Foreign, Shown, Time } from '../parts/basics.tsx'
import { CopyLine } from '../parts/copy-line.tsx'
import { ask } from '../ask.ts'
import { attempt, tellDone } from '../toasts.ts'
import { sayWhen } from './say-when.ts'

export function FlowSchedules({ name }: { readonly name: string }): JSX.Element {
  const live = useLive('flows.schedules', {}, ['flows'])
  return (
    <Card title="Runs by itself">
      <Shown live={live} what="the schedule">
        {({ schedules }) => {
          const own = schedules.find((schedule) => schedule.name === name)
          return (
            <>
              {own && <Scheduled schedule={own} onRemoved={() => void live.reload()} />}
              <ScheduleForm name={name} isThere={own !== undefined} />
            </>
          )
        }}
      </Shown>
    </Card>
  )
}

export function ScheduleWords({ schedule }: { readonly schedule: ShownSchedule }): JSX.Element {
  const { cron, timezone, next, problem, waiting, receipts = [] } = schedule
  if (problem !== undefined)
    return (
      <p class="failure" role="alert">
        It does not run: <Foreign text={problem} />
      </p>
    )
  return (
    <>
      <p>
        {next === undefined ? 'It will not run again' : `Next: ${sayWhen(next, Date.now())}`};{' '}
        {sayTimes(cron)} ({timezone})
      </p>
      <p class="muted">
        {sayRules(schedule)}
        {waiting === undefined ? '' : `; ${waiting} waiting`}
      </p>
      {receipts.map(({ sink, state, at, reason }) => (
        <p key={sink} class="muted">
          Last result: {state} at <Time iso={at} /> ({sink})
          {reason === undefined ? '' : `, ${reason}`}
        </p>
      ))}
    </>
  )
}

function Scheduled({
  schedule,
  onRemoved,
}: {
  readonly schedule: ShownSchedule
  readonly onRemoved: () => void
}): JSX.Element {
  const { name } = schedule
  const stop = (): void =>
    void attempt(async () => {
      await ask('flows.unschedule', { name })
      tellDone(`${name} no longer runs by itself.`)
      onRemoved()
    })
  return (
    <>
      <ScheduleWords schedule={schedule} />
      <p>
        <button type="button" class="quiet" onClick={stop}>
          Unschedule
        </button>
      </p>
    </>
  )
}

interface FormProps {
  readonly name: string
  readonly isThere: boolean
}

/** Makes the command: a schedule is a yes given beforehand, which only a terminal takes. The page then shows it by itself. */
function ScheduleForm({ name, isThere }: FormProps): JSX.Element {
  const words = useSignal('every weekday at 9')
  const overlap = useSignal<string>(USUAL_RULES.overlap)
  const catchUp = useSignal<string>(USUAL_RULES.catchUp)
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const read = readTimes(words.value, { now: Date.now(), timezone })
  const line = ['cordon', 'flow', 'schedule', name, words.value, '--timezone', timezone].concat(
    overlap.value === USUAL_RULES.overlap ? [] : ['--overlap', overlap.value],
    catchUp.value === USUAL_RULES.catchUp ? [] : ['--catch-up', catchUp.value],
  )
  return (
    <form class="filters" aria-label="Schedule" onSubmit={(event) => event.preventDefault()}>
      <label>
        When
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="times-hint"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value
          }}
        />
      </label>
      <Choice label="While it still runs" chosen={overlap} choices={OVERLAPS} say={sayOverlap} />
      <Choice label="Missed times" chosen={catchUp} choices={CATCH_UPS} say={sayCatchUp} />
      <div>
        {read.kind === 'unclear' ? (
          <p id="times-hint" role="status">
            {read.reason} For example: {TIMES_EXAMPLES}
          </p>
        ) : (
          <>
            <p id="times-hint" class="muted">
              Nobody is at the screen when it runs, so {isThere ? 'a change' : 'a schedule'} is said
              at a terminal:
            </p>
            <CopyLine line={line.map(shellWord).join(' ')} />
          </>
        )}
      </div>
    </form>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly chosen: Signal<string>
  readonly choices: readonly T[]
  readonly say: (choice: T) => string
}

function Choice<T extends string>({ label, chosen, choices, say }: ChoiceProps<T>): JSX.Element {
  return (
    <label>
      {label}
      <select
        value={chosen.value}
        onChange={(event) => {
          chosen.value = event.currentTarget.value
        }}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {say(choice)}
          </option>
        ))}
      </select>
    </label>
  )
}
