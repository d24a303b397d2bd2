/** A command to be typed at a terminal, with a button that copies it. */
import type { JSX } from 'preact'
import { settle, tellDone, tellFailed } from '../toasts.ts'

const COPYING = 'copying'

export function CopyLine({ line }: { readonly line: string }): JSX.Element {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(line)
      settle(COPYING)
      tellDone('Copied.')
    } catch {
      tellFailed('The browser did not let the page copy it.', {
        hint: 'Select the line and copy it by hand.',
        about: COPYING,
      })
    }
  }
  return (
    <p class="copy">
      <code>{line}</code>
      <button type="button" class="quiet" onClick={() => void copy()}>
        Copy
      </button>
    </p>
  )
}
