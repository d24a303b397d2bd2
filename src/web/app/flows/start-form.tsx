/** Starts a flow: fields for the inputs that it needs, and a button that opens its run. Its questions come to the page. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { FlowCheck, FlowSource } from '../../../ports/flow-port.ts'
import type { Json } from '../../../text/json.ts'
import { inputValue } from '../../../text/input-value.ts'
import { ask } from '../ask.ts'
import { Foreign } from '../parts/basics.tsx'
import { go } from '../place.ts'
import { attempt } from '../toasts.ts'

interface StartProps {
  readonly source: FlowSource
  readonly check: FlowCheck
}

export function StartForm({ source, check: { needs, isSound } }: StartProps): JSX.Element {
  const typed = useSignal<Readonly<Record<string, string>>>({})
  const isStarting = useSignal(false)
  const start = async (): Promise<void> => {
    isStarting.value = true
    // The id is an idempotency key: a request that is sent twice starts one run.
    const id = crypto.randomUUID()
    const inputs = inputsFrom(needs, typed.value)
    await attempt(async () => {
      const run = await ask('flows.start', { id, source, inputs, approval: 'wait' })
      go('flows', 'runs', run.id)
    })
    isStarting.value = false
  }
  return (
    <form
      class="start"
      aria-label="Run it"
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <NeedFields
        needs={needs}
        typed={typed.value}
        onType={(name, text) => (typed.value = { ...typed.value, [name]: text })}
      />
      <button type="submit" disabled={!isSound || isStarting.value}>
        Run
      </button>
    </form>
  )
}

interface FieldsProps {
  readonly needs: FlowCheck['needs']
  readonly typed: Readonly<Record<string, string>>
  readonly onType: (name: string, text: string) => void
}

export function NeedFields({ needs, typed, onType }: FieldsProps): JSX.Element {
  return (
    <>
      {needs.map(({ name, type, required, description }) => (
        <label key={name}>
          <span>
            <code>{name}</code>{' '}
            <span class="muted">
              {type}
              {required ? '' : ', may be left empty'}
              {description !== undefined && (
                <>
                  : <Foreign text={description} />
                </>
              )}
            </span>
          </span>
          <input
            type="text"
            autocomplete="off"
            required={required}
            value={typed[name] ?? ''}
            onInput={(event) => onType(name, event.currentTarget.value)}
          />
        </label>
      ))}
    </>
  )
}

export function inputsFrom(
  needs: FlowCheck['needs'],
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, Json>> {
  const given = needs.filter(({ name }) => (typed[name] ?? '') !== '')
  return Object.fromEntries(
    given.map(({ name, type }) => [name, inputValue(typed[name] ?? '', type)]),
  )
}
