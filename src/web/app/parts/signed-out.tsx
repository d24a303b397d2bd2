/** The only view of a browser that is not signed in, or no longer. */
import type { JSX } from 'preact'

interface SignedOutProps {
  readonly notice?: string | undefined
  /** The session ended while the page was open: its fields wait, unseen. */
  readonly hasMore?: boolean
}

export function SignedOut({ notice, hasMore = false }: SignedOutProps): JSX.Element {
  return (
    <main class="welcome">
      <h1 class="brand">
        <img src="/icon.svg" alt="" width="28" height="28" />
        Cordon
      </h1>
      <section class="card">
        {notice !== undefined && (
          <p class="notice" role="status">
            {notice}
          </p>
        )}
        <h2>This browser is not signed in</h2>
        <p>
          Run <code>cordon open</code> in a terminal for a link that lets this browser in.
        </p>
        <p class="muted">A link works once, and for ten minutes.</p>
        {hasMore && (
          <p class="muted">
            What you typed here is kept, except for passwords: this tab goes on where it was as soon
            as you are signed in, in this tab or in another one.
          </p>
        )}
      </section>
    </main>
  )
}
