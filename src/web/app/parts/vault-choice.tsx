/**
 * The part of a form about the vault: how a new one is protected, or that a locked one has to be opened first. Never takes
 * a passphrase: those are typed in a terminal only.
 */
import { type Signal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLive } from '../live.ts'

export type VaultProtection = 'keychain' | 'keyfile'

const TEXTS: Readonly<Record<VaultProtection, string>> = {
  keychain: 'in the keychain of this desktop',
  keyfile: 'in a file beside it: whoever can read your files can read it',
}

export function VaultChoice({
  protect,
}: {
  readonly protect: Signal<VaultProtection | undefined>
}): JSX.Element | null {
  const status = useLive('vault.status', {}, ['vault'])
  const state = status.data.value?.state
  if (state === 'locked')
    return (
      <p role="alert">
        The vault is locked. Run <code>cordon vault unlock</code> in a terminal first.
      </p>
    )
  return state === 'absent' ? <Sources protect={protect} /> : null
}

function Sources({
  protect,
}: {
  readonly protect: Signal<VaultProtection | undefined>
}): JSX.Element {
  const live = useLive('vault.sources', {}, [])
  const sources = live.data.value?.sources ?? []
  const offered = (['keychain', 'keyfile'] as const).filter((source) => sources.includes(source))
  useSignalEffect(() => {
    const known = live.data.value?.sources
    if (known) protect.value ??= known.includes('keychain') ? 'keychain' : 'keyfile'
  })
  return (
    <fieldset>
      <legend>This is the first credential. The key of its vault is kept</legend>
      {offered.map((source) => (
        <label key={source} class="check">
          <input
            type="radio"
            name="protect"
            checked={protect.value === source}
            onChange={() => (protect.value = source)}
          />
          {TEXTS[source]}
        </label>
      ))}
      <span class="muted">
        To protect it with a passphrase, run <code>cordon vault init</code> in a terminal first.
      </span>
    </fieldset>
  )
}
