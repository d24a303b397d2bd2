/** The chat. Enter sends, Shift-Enter begins a new line; text that is pasted over several lines is data, not a command. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { draft, examplesFor, noteChat } from '../examples.ts'
import { useLive } from '../live.ts'
import { External } from '../parts/answer-view.tsx'
import { ConnectPanel } from '../parts/connect-panel.tsx'
import { OpenApprovals } from '../parts/open-approvals.tsx'
import { Provenance } from '../parts/provenance.tsx'
import { SaidView } from '../parts/said-view.tsx'
import { TurnView } from '../parts/turn-view.tsx'
import { entries, type Entry, say, unanswered } from '../say.ts'

export function Chat(): JSX.Element {
  const listing = useLive('mcp.list', {}, ['servers'])
  const end = useRef<HTMLDivElement>(null)
  const count = entries.value.length
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [count])
  useEffect(noteChat, [])
  const isEmpty = listing.data.value?.servers.length === 0
  return (
    <div class="chat">
      <h1>Chat</h1>
      <div class="talk" role="log" aria-label="Conversation">
        {count === 0 && (
          <div class="empty">
            <p>
              {isEmpty
                ? 'Nothing is connected yet. Start with your files: they need no account.'
                : 'Ask for something in your own words. Cordon shows what it does, and asks before it changes what matters.'}
            </p>
            <p class="examples">
              {examplesFor(listing.data.value?.servers ?? []).map((text) => (
                <button key={text} type="button" class="quiet" onClick={() => void say(text)}>
                  {text}
                </button>
              ))}
            </p>
          </div>
        )}
        {entries.value.map((entry) => (
          <EntryView key={entry.id} entry={entry} />
        ))}
        {unanswered.value > 0 && <Unanswered />}
        <div ref={end} />
      </div>
      <Composer />
    </div>
  )
}

/** Shown only after a moment: most messages are replied to at once. */
function Unanswered(): JSX.Element | null {
  const isLong = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => (isLong.value = true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isLong.value) return null
  return (
    <>
      <p class="muted working" role="status">
        <span class="spinner" aria-hidden="true" /> Working…
      </p>
      <OpenApprovals />
    </>
  )
}

const PATIENCE_MS = 400

function EntryView({ entry }: { readonly entry: Entry }): JSX.Element {
  if (entry.kind === 'said') return <SaidView text={entry.text} />
  if (entry.kind === 'turn') return <TurnView turn={entry.turn} />
  if (entry.kind === 'connection') return <ConnectPanel first={entry.view} />
  if (entry.from)
    return (
      <div class="answer">
        <External text={entry.text} />
        <Provenance from={entry.from} />
      </div>
    )
  return <p class={entry.hasFailed ? 'answer failed said' : 'answer said'}>{entry.text}</p>
}

function Composer(): JSX.Element {
  const text = useSignal(draft.peek())
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    draft.value = ''
    field.current?.focus()
  }, [])
  const send = (): void => {
    const sent = text.value.trim()
    if (sent === '') return
    text.value = ''
    void keepUnless(say(sent), sent)
  }
  const keepUnless = async (taking: Promise<boolean>, sent: string): Promise<void> => {
    if (!(await taking) && text.value === '') text.value = sent
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label class="visually-hidden" for="message">
        Message
      </label>
      <textarea
        id="message"
        ref={field}
        rows={Math.min(8, text.value.split('\n').length)}
        placeholder="Ask for something, or type help"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <button type="submit">Send</button>
    </form>
  )
}
