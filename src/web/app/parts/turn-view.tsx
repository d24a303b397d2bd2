/** One turn as it happens: the plan, a card for each call, questions, and the answer with the servers it came from. */
import type { JSX } from 'preact'
import type { TurnEvent } from '../../../ports/turn-port.ts'
import { showUsage } from '../../../text/token-usage.ts'
import { ask } from '../ask.ts'
import type { TurnState } from '../say.ts'
import { attempt } from '../toasts.ts'
import { AnswerView } from './answer-view.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { CallCard } from './call-card.tsx'
import { PlanSteps } from './plan-steps.tsx'
import { SaveFlow } from './save-flow.tsx'
import { ServerQuestion } from './server-question.tsx'

export function TurnView({ turn }: { readonly turn: TurnState }): JSX.Element {
  const events = turn.events.value
  return (
    <div class="turn">
      {events.map((event) => (
        <EventView key={event.number} event={event} events={events} />
      ))}
      <Ending events={events} />
      {turn.isOver.value ? (
        <SaveFlow turn={turn} />
      ) : (
        <Working turn={turn.turn} isAsking={isAsking(events.at(-1))} />
      )}
    </div>
  )
}

interface EventProps {
  readonly event: TurnEvent
  readonly events: readonly TurnEvent[]
}

/** A question that was answered is not shown any more, and the end of a call is shown on its card. */
function EventView({ event, events }: EventProps): JSX.Element | null {
  if (event.kind === 'plan') return <PlanSteps plan={event} />
  if (event.kind === 'using') {
    const end = events.find((one) => one.kind === 'used' && one.step === event.step)
    return <CallCard event={event} outcome={end?.kind === 'used' ? end.outcome : undefined} />
  }
  if (event.kind === 'question') return <Asked event={event} isOpen={event === events.at(-1)} />
  const isOpen = event.kind === 'approval' && event === events.at(-1)
  return isOpen ? <ApprovalCard approval={event.approval} takesFocus /> : null
}

type QuestionEvent = Extract<TurnEvent, { readonly kind: 'question' }>

/** A form while it is open. A field that is asked for by a message of its own is shown as text. */
function Asked({
  event: { text, form },
  isOpen,
}: {
  readonly event: QuestionEvent
  readonly isOpen: boolean
}): JSX.Element {
  if (!form) return <AnswerView text={text} />
  const { run, question } = form
  if (!isOpen) return <p class="muted">{question.server ?? 'Cordon'} asked, and was answered.</p>
  return (
    <ServerQuestion
      key={question.id}
      question={question}
      onAnswer={async (choice, value) =>
        await ask('flows.answer', {
          id: run,
          question: question.id,
          choice,
          ...(value && { value }),
        })
      }
    />
  )
}

/** The answer, or as much of it as a model has written. */
function Ending({ events }: Pick<EventProps, 'events'>): JSX.Element | null {
  const last = events.at(-1)
  if (last?.kind === 'answer') {
    return (
      <>
        <AnswerView text={last.text} hasFailed={last.hasFailed === true} from={last.from ?? []} />
        {last.usage && <p class="muted">{showUsage(last.usage)}</p>}
      </>
    )
  }
  const pieces = events.flatMap((event) => (event.kind === 'piece' ? [event.text] : []))
  return pieces.length > 0 ? <AnswerView text={pieces.join('')} /> : null
}

function isAsking(event: TurnEvent | undefined): boolean {
  return event?.kind === 'approval' || event?.kind === 'question'
}

interface WorkingProps {
  readonly turn: string
  /** It goes on with the answer of the owner, and not by itself. */
  readonly isAsking: boolean
}

function Working({ turn, isAsking: isWaiting }: WorkingProps): JSX.Element {
  return (
    <p class="muted working">
      {isWaiting ? (
        'It waits for your answer. '
      ) : (
        <>
          <span class="spinner" aria-hidden="true" /> Working…{' '}
        </>
      )}
      <button
        type="button"
        class="quiet"
        onClick={() => void attempt(() => ask('chat.cancel', { turn }))}
      >
        Stop
      </button>
    </p>
  )
}
