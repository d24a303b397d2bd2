/** A question before something is lost, in a native modal dialog. Cancel has the focus; Escape is a cancel, too. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly verb: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

export function ConfirmDialog({
  title,
  children,
  verb,
  onConfirm,
  onCancel,
}: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    cancel.current?.focus()
  }, [])
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onClose={onCancel}
    >
      <h2 id="confirm-title">{title}</h2>
      <div id="confirm-text">{children}</div>
      <p class="answers end">
        <button ref={cancel} type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={onConfirm}>
          {verb}
        </button>
      </p>
    </dialog>
  )
}
