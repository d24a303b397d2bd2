/** The plan of a turn before it runs: its steps by number, each with its arguments and the question that it will ask. */
import type { JSX } from 'preact'
import type { TurnEvent } from '../../../ports/turn-port.ts'
import { printable } from '../../../text/untrusted-text.ts'
import { Args } from './call-card.tsx'

type PlanEvent = Extract<TurnEvent, { readonly kind: 'plan' }>

export function PlanSteps({ plan }: { readonly plan: PlanEvent }): JSX.Element {
  const [heading = ''] = printable(plan.text).split('\n')
  return (
    <section class="plan" aria-label="Plan">
      <p>{heading}</p>
      <ol>
        {plan.steps.map(({ tool, args, asks }, at) => (
          <li key={at}>
            <code>
              {tool.server}.{tool.name}
            </code>
            <Args args={args} />
            {asks !== undefined && (
              <p class="asks">Asks you first{asks === '' ? '.' : `: ${asks}.`}</p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
