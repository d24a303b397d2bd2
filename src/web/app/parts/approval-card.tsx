/**
 * A question that waits for the owner, with its answers: no (which has the focus), once, always where that is offered, and
 * a no that also quarantines the server. Its lines are drawn by the kernel, with where each value came from.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { DrawnLine, ShownApproval } from '../../../kernel/approval-port.ts'
import type { GrantOffer } from '../../../kernel/tool-call.ts'
import { ask } from '../ask.ts'
import { attempt, tellDone } from '../toasts.ts'

interface CardProps {
  readonly approval: ShownApproval
  /** The answer was taken. */
  readonly onAnswered?: () => void
  /** The first question of a screen takes the focus, on its No. */
  readonly takesFocus?: boolean
}

export function ApprovalCard({ approval, onAnswered, takesFocus }: CardProps): JSX.Element {
  const full = useSignal<ShownApproval>(approval)
  // The kernel takes no yes to a long question that was not shown in full.
  useEffect(() => {
    void attempt(async () => {
      full.value = await ask('approvals.show', { id: approval.id, full: true })
    })
  }, [approval.id])
  const { lines, more, items } = full.value
  const waiting = items.filter(({ isAllowed }) => isAllowed === undefined)
  const servers = [...new Set(waiting.map(({ tool }) => tool.server))]
  return (
    <section class="card approval" aria-label="You are asked">
      <Drawn lines={lines} />
      <details>
        <summary>More about it</summary>
        <Drawn lines={more} />
      </details>
      {servers.map((server) => (
        <Answers
          key={server}
          approval={full.value}
          server={server}
          isOnly={servers.length === 1}
          takesFocus={takesFocus === true && server === servers[0]}
          onAnswered={onAnswered}
        />
      ))}
    </section>
  )
}

export function Drawn({ lines }: { readonly lines: readonly DrawnLine[] }): JSX.Element {
  return (
    <pre class="question">
      {lines.map((line, at) => (
        <span key={at} class="line">
          {line.map(({ text, tone }, piece) => (
            <span key={piece} class={tone}>
              {text}
            </span>
          ))}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

interface AnswersProps {
  readonly approval: ShownApproval
  /** A yes is about one server, so that it never carries the calls of another along. */
  readonly server: string
  readonly isOnly: boolean
  readonly takesFocus: boolean
  readonly onAnswered: (() => void) | undefined
}

function Answers({ approval, server, isOnly, takesFocus, onAnswered }: AnswersProps): JSX.Element {
  const no = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) no.current?.focus()
  }, [takesFocus])
  // The question grows when it is shown in full, and would push its answers out of sight.
  useEffect(() => {
    if (takesFocus) no.current?.scrollIntoView({ block: 'nearest' })
  }, [takesFocus, approval])
  const asked = approval.items.filter(
    ({ tool, isAllowed }) => tool.server === server && isAllowed === undefined,
  )
  const all = asked.map(({ digest }) => digest)
  const offer = standingOffer(asked)
  const isPlan = server.startsWith('~') // a plan of several servers, none of which it names
  const of = isOnly ? '' : ` (${server})`
  const answer = (
    allow: readonly string[],
    rest: { grant?: GrantOffer; quarantine?: boolean } = {},
  ) =>
    void attempt(async () => {
      await ask('approvals.answer', { id: approval.id, server, allow, channel: 'page', ...rest })
      tellDone(allow.length === 0 ? 'Denied.' : 'Allowed.')
      onAnswered?.()
    })
  return (
    <p class="answers">
      <button ref={no} type="button" onClick={() => answer([])}>
        No{of}
      </button>
      <button type="button" class="quiet" onClick={() => answer(all)}>
        Yes, once{of}
      </button>
      {offer && (
        <button type="button" class="quiet" onClick={() => answer(all, { grant: offer })}>
          Always{ALWAYS[offer]}
          {of}
        </button>
      )}
      {!isPlan && (
        <button type="button" class="quiet bad" onClick={() => answer([], { quarantine: true })}>
          No, and quarantine {server}
        </button>
      )}
    </p>
  )
}

const ALWAYS = {
  tool: ', for this tool',
  flow: ', from there to this tool',
  spend: ', up to this amount',
} as const

/** The standing permission that every one of these calls offers. */
function standingOffer(asked: ShownApproval['items']): keyof typeof ALWAYS | undefined {
  return (['tool', 'flow', 'spend'] as const).find((offer) =>
    asked.every(({ offers }) => offers.includes(offer)),
  )
}
