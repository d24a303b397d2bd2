/** A connection in progress: what was said, what went wrong, and the one question that is open. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ConnectionTrouble, ConnectionView } from '../../../ports/setup-port.ts'
import { seenText } from '../../../text/untrusted-text.ts'
import { ask, isPassing, Refused } from '../ask.ts'
import { hasEnded } from '../give-credential.ts'
import { attempt } from '../toasts.ts'
import { Foreign } from './basics.tsx'
import { ConnectQuestion } from './connect-question.tsx'

const RETRY_MS = 500

interface PanelProps {
  readonly first: ConnectionView
  /** The line that was connected, to try it again; absent: the name of the service. */
  readonly name?: string
  readonly onEnd?: (view: ConnectionView) => void
}

export function ConnectPanel({ first, name, onEnd }: PanelProps): JSX.Element {
  const view = useSignal(first)
  useEffect(() => {
    const ending = new AbortController()
    const follow = async (): Promise<void> => {
      await followTo(view, ending.signal)
      if (!ending.signal.aborted) onEnd?.(view.value)
    }
    void follow()
    return () => ending.abort()
  }, [view.value.connection])
  const { title, said, question, trouble, service } = view.value
  const isOver = hasEnded(view.value)
  // Questions as a chat words them: here each has a field or buttons, and is gone once it is answered.
  const asked = useRef(new Set<string>())
  if (question?.inChat !== undefined) asked.current.add(question.inChat)
  const retry = (): void =>
    void attempt(async () => {
      view.value = await ask('connect.start', { name: name ?? service, again: true })
    })
  return (
    <section
      class="card connecting"
      aria-label={`Connecting ${title}`}
      aria-busy={!isOver && !question}
    >
      <div class="card-head">
        <h2>
          Connecting <Foreign text={title} />
        </h2>
        {!isOver && (
          <button
            type="button"
            class="quiet"
            onClick={() => void attempt(() => ask('connect.cancel', {}))}
          >
            Cancel
          </button>
        )}
      </div>
      <div role="log">
        {said
          .filter((text) => !asked.current.has(text))
          .map((text, at) => (
            <p key={at} class="said">
              {text}
            </p>
          ))}
      </div>
      {!isOver && !question && (
        <p class="muted working">
          <span class="spinner" aria-hidden="true" /> Working…
        </p>
      )}
      {trouble && <Trouble trouble={trouble} title={title} onRetry={retry} />}
      {question && !isOver && (
        <ConnectQuestion key={view.value.version} view={view.value} question={question} />
      )}
    </section>
  )
}

async function followTo(view: { value: ConnectionView }, signal: AbortSignal): Promise<void> {
  while (!hasEnded(view.value) && !signal.aborted) {
    const { connection, version: after } = view.value
    try {
      const next = await ask('connect.follow', { connection, after }, signal)
      if (!signal.aborted) view.value = next
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Refused) || !isPassing(error)) return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

const TROUBLES: Readonly<Record<ConnectionTrouble, (title: string) => string>> = {
  'not-installed': (title) => `Failed to install ${title}. Check network.`,
  'sign-in-failed': () => 'Authorization failed. Please try again.',
  'sign-in-timed-out': () => 'Authorization timed out after 2 minutes.',
  'token-refused': () => 'Authentication failed. Check your API key.',
}

interface TroubleProps {
  readonly trouble: ConnectionTrouble
  readonly title: string
  readonly onRetry: () => void
}

/** A refused token is followed by the field for another one, so only the others are tried again by a button. */
function Trouble({ trouble, title, onRetry }: TroubleProps): JSX.Element {
  return (
    <div class="trouble" role="alert">
      <p>{TROUBLES[trouble](seenText(title))}</p>
      {trouble !== 'token-refused' && (
        <button type="button" onClick={onRetry}>
          Retry
        </button>
      )}
    </div>
  )
}
