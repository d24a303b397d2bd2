/** The only view of a browser that is not signed in. */
import type { JSX } from 'preact'

export function SignedOut({ notice }: { readonly notice?: string | undefined }): JSX.Element {
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
      </section>
    </main>
  )
}
