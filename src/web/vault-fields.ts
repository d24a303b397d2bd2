/**
 * The part of the credential form about the vault: how a new one is protected, and that a locked one has to be opened
 * first. Never takes a passphrase: those are typed in a terminal only.
 */
import { html } from 'hono/html'
import type { Api, PageRoute } from '../api/contract.ts'

type Markup = ReturnType<typeof html> | ''

/** Empty if the vault is open. */
export async function vaultFields(api: Api<PageRoute>): Promise<Markup> {
  const { state } = await api.call('vault.status', {})
  if (state === 'unlocked') return ''
  if (state === 'locked')
    return html`<p role="alert">The vault is locked. Run <code>cordon vault unlock</code> in a terminal first.</p>`
  const { sources } = await api.call('vault.sources', {})
  const best = sources.includes('keychain') ? 'keychain' : 'keyfile'
  const choice = (source: 'keychain' | 'keyfile', text: string): Markup =>
    html`<label class="choice"><input type="radio" name="protect" value="${source}" ${source === best ? 'checked' : ''} /> <span>${text}</span></label>`
  return html`<fieldset>
    <legend>This is the first credential. The key of its vault is kept</legend>
    ${best === 'keychain' ? choice('keychain', 'in the keychain of this desktop') : ''}
    ${choice('keyfile', 'in a file beside it: whoever can read your files can read it')}
    <p>To protect it with a passphrase, run <code>cordon vault init</code> in a terminal first.</p>
  </fieldset>`
}

/** The choice in a sent form; undefined if there was none to make. */
export function protectIn(form: URLSearchParams): 'keychain' | 'keyfile' | undefined {
  const protect = form.get('protect')
  return protect === 'keychain' || protect === 'keyfile' ? protect : undefined
}
