/** Saves the plan of a turn as a flow, by the same words that can be typed. Only the last plan that worked can be saved. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { entries, say, type TurnState } from '../say.ts'

const NAME = /^[a-z0-9][\w-]{0,63}$/i

export function SaveFlow({ turn }: { readonly turn: TurnState }): JSX.Element | null {
  const isOpen = useSignal(false)
  const name = useSignal('')
  const isRefused = useSignal(false)
  const last = entries.value.findLast((entry) => entry.kind === 'turn' && canBeSaved(entry.turn))
  if (last?.kind !== 'turn' || last.turn !== turn) return null
  if (!isOpen.value)
    return (
      <p>
        <button type="button" class="quiet" onClick={() => (isOpen.value = true)}>
          Save as flow
        </button>
      </p>
    )
  const save = (): void => {
    const typed = name.value.trim()
    isRefused.value = !NAME.test(typed)
    if (isRefused.value) return
    isOpen.value = false
    void say(`save this as ${typed}`)
  }
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <label>
        Name of the flow
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value
            isRefused.value = false
          }}
        />
        {isRefused.value && (
          <span class="field-error" role="alert">
            Use letters, digits, - and _ for the name of a flow.
          </span>
        )}
      </label>
      <button type="submit">Save</button>
      <button type="button" class="quiet" onClick={() => (isOpen.value = false)}>
        Cancel
      </button>
    </form>
  )
}

function canBeSaved({ events }: TurnState): boolean {
  const last = events.value.at(-1)
  return last?.kind === 'answer' && last.canBeSaved === true
}
