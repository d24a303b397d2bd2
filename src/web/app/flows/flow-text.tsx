/** The field in which a flow is written, with the words that could come next. A node that is selected is marked in it. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ask, Refused } from '../ask.ts'

interface TextProps {
  readonly text: string
  readonly onChange: (text: string) => void
  /** The selected node; its words are marked in the text. */
  readonly selected: string | undefined
}

const DEBOUNCE_MS = 150
const MOST_CANDIDATES = 12

export function FlowText({ text, onChange, selected }: TextProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null)
  const caret = useSignal(text.length)
  const candidates = useCandidates(text, caret.value)
  useEffect(() => {
    const at = selected === undefined ? undefined : placeOf(text, selected)
    if (at !== undefined) field.current?.setSelectionRange(at, at + (selected ?? '').length)
  }, [selected])
  const take = (candidate: string): void => {
    const before = text.slice(0, caret.value).replace(/\S*$/, '') + candidate
    onChange(`${before} ${text.slice(caret.value).trimStart()}`)
    caret.value = before.length + 1
    field.current?.focus()
  }
  return (
    <>
      <label>
        The flow as text
        <textarea
          ref={field}
          class="code"
          rows={10}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-describedby="flow-words"
          placeholder="mcp-github-search-code --query TODO >> summarize-text"
          value={text}
          onInput={(event) => {
            caret.value = event.currentTarget.selectionStart
            onChange(event.currentTarget.value)
          }}
          onKeyUp={(event) => {
            caret.value = event.currentTarget.selectionStart
          }}
          onClick={(event) => {
            caret.value = event.currentTarget.selectionStart
          }}
        />
      </label>
      <div id="flow-words" class="words" aria-label="Words that could come next" role="group">
        {candidates.map((candidate) => (
          <button key={candidate} type="button" class="quiet" onClick={() => take(candidate)}>
            {candidate}
          </button>
        ))}
      </div>
    </>
  )
}

/** The first whole word that is the node's name. */
function placeOf(text: string, node: string): number | undefined {
  const words = text.matchAll(/[\w-]+/g)
  return words.find(([word]) => word === node)?.index
}

/** Nothing is offered for JSON. A failed request offers nothing either: the check says why. */
function useCandidates(text: string, caret: number): readonly string[] {
  const found = useSignal<readonly string[]>([])
  useEffect(() => {
    const ending = new AbortController()
    const look = async (): Promise<void> => {
      try {
        const typed = text.slice(0, caret)
        const { candidates } = await ask('flows.complete', { text: typed }, ending.signal)
        found.value = candidates.slice(0, MOST_CANDIDATES)
      } catch (error) {
        if (!ending.signal.aborted && !(error instanceof Refused)) throw error
      }
    }
    const isJson = text.trimStart().startsWith('{')
    const timer = isJson ? undefined : setTimeout(() => void look(), DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [text, caret])
  return found.value
}
