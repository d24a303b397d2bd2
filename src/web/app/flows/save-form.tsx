/** Saves a flow under a name, with its tools as they are now, and deletes one. A name that is taken is replaced only on a second word. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { FlowSource } from '../../../ports/flow-port.ts'
import { ask, Refused } from '../ask.ts'
import { go } from '../place.ts'
import { attempt, tellDone } from '../toasts.ts'
import { flowDrafts, UNNAMED } from './flow-drafts.ts'

interface SaveProps {
  /** The name in the address; `UNNAMED` for a new flow. */
  readonly name: string
  readonly source: FlowSource | undefined
  readonly onSaved: () => void
}

export function SaveForm({ name, source, onSaved }: SaveProps): JSX.Element {
  const wanted = useSignal(name === UNNAMED ? '' : name)
  const taken = useSignal<string | undefined>(undefined)
  const save = async (replace: boolean): Promise<void> => {
    const as = wanted.value.trim()
    if (!source || as === '') return
    await attempt(async () => {
      try {
        await ask('flows.save', { name: as, source, replace })
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== 'flows.name-taken') throw error
        taken.value = as
        return
      }
      taken.value = undefined
      tellDone(`Saved ${as}.`)
      flowDrafts.drop(name)
      onSaved()
      if (as !== name) go('flows', as)
    })
  }
  const isTaken = taken.value !== undefined && taken.value === wanted.value.trim()
  return (
    <form
      class="filters"
      aria-label="Save it"
      onSubmit={(event) => {
        event.preventDefault()
        void save(isTaken || wanted.value.trim() === name)
      }}
    >
      <label>
        Name
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          required
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
          title="Letters, digits, dots, dashes and underscores; a letter or a digit first"
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit" class="quiet" disabled={!source}>
        {isTaken ? `Replace ${wanted.value.trim()}` : 'Save'}
      </button>
      {isTaken && <p role="alert">There is already a flow of this name.</p>}
    </form>
  )
}

/** Forgets a saved flow and its schedule; its runs stay. */
export function DeleteFlow({ name }: { readonly name: string }): JSX.Element {
  const isAsked = useSignal(false)
  const remove = (): void =>
    void attempt(async () => {
      await ask('flows.unschedule', { name })
      await ask('flows.remove', { name })
      flowDrafts.drop(name)
      tellDone(`Deleted ${name}.`)
      go('flows')
    })
  if (!isAsked.value)
    return (
      <button type="button" class="quiet bad" onClick={() => (isAsked.value = true)}>
        Delete
      </button>
    )
  return (
    <p class="answers" role="alert">
      Delete "{name}" and its schedule? Its runs stay.
      <button type="button" class="quiet" onClick={() => (isAsked.value = false)}>
        Cancel
      </button>
      <button type="button" onClick={remove}>
        Delete
      </button>
    </p>
  )
}
