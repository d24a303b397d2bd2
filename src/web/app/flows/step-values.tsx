/** The steps of one node in a run: how long each took, and each value with its source and its labels. */
import type { JSX } from 'preact'
import type { FlowStep, FlowValue } from '../../../ports/flow-port.ts'
import { Foreign, Time } from '../parts/basics.tsx'
import { sayDuration } from './node-mark.ts'

/** More are not drawn; `cordon flow show` prints them all. */
const MOST_STEPS = 50

export function StepValues({ steps }: { readonly steps: readonly FlowStep[] }): JSX.Element {
  return (
    <>
      {steps.slice(0, MOST_STEPS).map((step, at) => (
        <Step key={at} step={step} />
      ))}
      {steps.length > MOST_STEPS && (
        <p class="muted">And {steps.length - MOST_STEPS} more steps of this node.</p>
      )}
    </>
  )
}

function Step({ step }: { readonly step: FlowStep }): JSX.Element {
  const { round, item, state, startedAt, problem, args, outputs } = step
  return (
    <section class="step">
      <p>
        <strong>{state}</strong>
        {round !== undefined && `, round ${round}`}
        {item !== undefined && `, item ${item}`}
        {notesOf(step).map((note) => `, ${note}`)}; began at <Time iso={startedAt} />
      </p>
      {problem !== undefined && (
        <p class="failure">
          <Foreign text={problem} />
        </p>
      )}
      <Values title="Took" values={args} />
      <Values title="Gave" values={outputs} />
    </section>
  )
}

function notesOf({ ms, wasCached, retries, action, disarmed }: FlowStep): readonly string[] {
  return [
    ...(ms === undefined ? [] : [sayDuration(ms)]),
    ...(wasCached ? ['from the cache'] : []),
    ...(retries ? [`${retries} retries`] : []),
    ...(action === undefined || action === 'default' ? [] : [`ended with ${action}`]),
    ...(disarmed === undefined ? [] : [disarmed]),
  ]
}

interface ValuesProps {
  readonly title: string
  readonly values: readonly FlowValue[]
}

function Values({ title, values }: ValuesProps): JSX.Element | null {
  if (values.length === 0) return null
  return (
    <table class="values">
      <thead>
        <tr>
          <th>{title}</th>
          <th>Value</th>
          <th>Written by</th>
          <th>Level</th>
          <th>From</th>
        </tr>
      </thead>
      <tbody>
        {values.map(({ name, shown, integrity, level, from, origins }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>
              <Foreign text={shown} />
            </td>
            <td>{integrity}</td>
            <td>{level}</td>
            <td>
              <Foreign text={[from, ...origins].filter((one) => one !== '').join(', ')} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
