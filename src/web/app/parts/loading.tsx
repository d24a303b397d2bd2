/** A place that is still empty because its data is on the way. */
import type { JSX } from 'preact'

export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="muted loading" aria-busy="true">
      Loading {what}…
    </p>
  )
}
