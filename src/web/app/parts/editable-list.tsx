/** A list of texts that can be changed: `[-]` removes a row, `[+ Add …]` adds one. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'

interface ListProps<T> {
  readonly title: string
  readonly rows: Signal<readonly T[]>
  readonly textOf: (row: T) => string
  /** A row for a text that was typed. */
  readonly make: (text: string) => T
  /** `Path`, `Domain` */
  readonly noun: string
  readonly placeholder: string
  /** Beside the text of a row. */
  readonly aside?: (row: T, replace: (next: T) => void) => ComponentChildren
  /** The consequence of the list, in plain words. */
  readonly children: ComponentChildren
}

export function EditableList<T>(props: ListProps<T>): JSX.Element {
  const { title, rows, textOf, make, noun, placeholder, aside, children } = props
  const typed = useSignal('')
  const replace = (at: number, next: readonly T[]): void => {
    rows.value = rows.value.toSpliced(at, 1, ...next)
  }
  const add = (): void => {
    const text = typed.value.trim()
    if (text === '') return
    if (!rows.value.some((row) => textOf(row) === text)) rows.value = [...rows.value, make(text)]
    typed.value = ''
  }
  return (
    <fieldset class="editable">
      <legend>{title}</legend>
      <ul class="list">
        {rows.value.map((row, at) => (
          <li key={textOf(row)} class="row">
            <code>{textOf(row)}</code>
            {aside?.(row, (next) => replace(at, [next]))}
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${textOf(row)}`}
              onClick={() => replace(at, [])}
            >
              [-]
            </button>
          </li>
        ))}
        <li class="row">
          <input
            type="text"
            aria-label={`New ${noun.toLowerCase()}`}
            spellcheck={false}
            autocomplete="off"
            placeholder={placeholder}
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault() // of the form around it
              add()
            }}
          />
          <button type="button" class="quiet" onClick={add}>
            [+ Add {noun}]
          </button>
        </li>
      </ul>
      <div class="muted">{children}</div>
    </fieldset>
  )
}
