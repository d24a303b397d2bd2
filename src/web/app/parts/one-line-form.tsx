/** One field and its button. The text stays in the field unless sending it worked. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'

interface FormProps {
  readonly label: string
  readonly button: string
  readonly first?: string
  readonly mayBeEmpty?: boolean
  /** True empties the field. */
  readonly onSend: (text: string) => Promise<boolean>
}

export function OneLineForm({
  label,
  button,
  first = '',
  mayBeEmpty = false,
  onSend,
}: FormProps): JSX.Element {
  const text = useSignal(first)
  const send = async (): Promise<void> => {
    if (await onSend(text.value.trim())) text.value = ''
  }
  return (
    <form
      class="one-line"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label>
        {label}
        <input
          type="text"
          autocomplete="off"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit" disabled={!mayBeEmpty && text.value.trim() === ''}>
        {button}
      </button>
    </form>
  )
}
