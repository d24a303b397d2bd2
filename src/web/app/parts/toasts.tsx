/** The toasts, below the screen. */
import type { JSX } from 'preact'
import { close, toasts } from '../toasts.ts'

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, kind, text, hint, act }) => (
        <div key={id} class={`toast ${kind}`}>
          <p>{text}</p>
          {hint !== undefined && <p class="muted">{hint}</p>}
          {act && (
            <p>
              <button
                type="button"
                onClick={() => {
                  close(id)
                  act.run()
                }}
              >
                {act.label}
              </button>
            </p>
          )}
          <button class="quiet close" type="button" aria-label="Close" onClick={() => close(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
