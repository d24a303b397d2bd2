/** One call of a tool while it runs and after it ended. Arguments are text of the owner, a model or a server. */
import type { JSX } from 'preact'
import type { TurnEvent } from '../../../ports/turn-port.ts'
import { printable } from '../../../text/untrusted-text.ts'

type Using = Extract<TurnEvent, { readonly kind: 'using' }>
type Outcome = Extract<TurnEvent, { readonly kind: 'used' }>['outcome']

const MARKS = { completed: '✓', failed: '✗', refused: '✗', 'timed out': '◷' } as const

interface CallProps {
  readonly event: Using
  /** Absent while it runs. */
  readonly outcome: Outcome | undefined
}

export function CallCard({ event: { tool, args }, outcome }: CallProps): JSX.Element {
  const name = `${tool.server}.${tool.name}`
  return (
    <div class={`call ${outcome?.replace(' ', '-') ?? 'running'}`}>
      <p>
        {outcome === undefined ? (
          <>
            <span class="spinner" aria-hidden="true" /> Using {name}...
          </>
        ) : (
          <>
            <span aria-hidden="true">{MARKS[outcome]}</span> {name} {outcome}
          </>
        )}
      </p>
      <Args args={args} />
    </div>
  )
}

export function Args({ args }: Pick<Using, 'args'>): JSX.Element | null {
  if (args.length === 0) return null
  return (
    <dl class="args">
      {args.map((arg) => (
        <div key={arg.name}>
          <dt>{arg.name}</dt>
          <dd>
            <bdi>{printable(arg.shown)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
