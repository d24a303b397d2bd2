/** Chips that name the servers a statement came from; each leads to the page of its server. */
import type { JSX } from 'preact'
import { addressOf } from '../place.ts'
import { Foreign } from './basics.tsx'

export function Provenance({ from }: { readonly from: readonly string[] }): JSX.Element | null {
  if (from.length === 0) return null
  return (
    <p class="chips">
      <span class="muted">From</span>
      {from.map((server) =>
        isBuiltIn(server) ? (
          <span key={server} class="chip">
            {server.slice(1)}
          </span>
        ) : (
          <a key={server} class="chip" href={addressOf('servers', server)}>
            <Foreign text={server} />
          </a>
        ),
      )}
    </p>
  )
}

/** Tools of Cordon itself, such as `~files`, have no page. */
function isBuiltIn(server: string): boolean {
  return server.startsWith('~')
}
