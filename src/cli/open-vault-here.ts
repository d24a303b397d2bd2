/**
 * Opens the vault for the person at the terminal: asks once how a new one is to be protected, and for the passphrase of a
 * locked one. A passphrase is typed hidden and sent to the kernel only.
 */
import type { Api } from '../api/contract.ts'
import { CordonError } from '../kernel/error.ts'
import type { KeySource, VaultStatus } from '../kernel/vault-status.ts'
import { askKey, askNewPassphrase, askSecret, cancelled } from './ask.ts'
import type { Context } from './context.ts'

type Asking = Pick<Context, 'surface' | 'signal'>

const MOST_TRIES = 3

/** Returns when the vault is unlocked; does nothing where it is already. */
export async function openVaultHere(context: Asking, api: Api): Promise<VaultStatus> {
  const status = await api.call('vault.status', {})
  if (status.state === 'unlocked') return status
  return status.state === 'absent'
    ? await setUpVault(context, api)
    : await unlockVault(context, api, status)
}

/** The person chooses the key source; the default is the first that works here. */
export async function setUpVault(context: Asking, api: Api): Promise<VaultStatus> {
  const { terminal } = context.surface
  const { sources } = await api.call('vault.sources', {})
  const choices = sources.map((source) => CHOICES[source])
  const [first, ...rest] = [['q', 'leave it; nothing is stored'] as const, ...choices]
  const question = 'Credentials are kept encrypted in a vault. How is its key protected?'
  const key = await askKey(terminal, question, [first, ...rest], context.signal)
  const source = sources.find((each) => CHOICES[each][0] === key)
  if (source === undefined) throw cancelled('no vault was set up')
  if (source !== 'passphrase') return await api.call('vault.init', { source })
  const passphrase = await askNewPassphrase(terminal, context.signal)
  return await api.call('vault.init', { source, passphrase })
}

const CHOICES: Readonly<Record<KeySource, readonly ['k' | 'p' | 'f', string]>> = {
  keychain: ['k', 'in the keychain of this desktop: it opens with your session'],
  passphrase: ['p', 'by a passphrase: you type it after each start of Cordon'],
  keyfile: [
    'f',
    'in a file beside it: nothing to type, and whoever can read your files can read it',
  ],
}

/** Asks again after a wrong passphrase, a few times. */
export async function unlockVault(
  { surface: { terminal }, signal }: Asking,
  api: Api,
  { keySource }: VaultStatus,
): Promise<VaultStatus> {
  if (keySource !== 'passphrase') return await api.call('vault.unlock', {})
  for (let tries = 1; ; tries += 1) {
    const passphrase = await askSecret(terminal, 'Passphrase of the vault', signal)
    try {
      return await api.call('vault.unlock', { passphrase })
    } catch (error) {
      const isWrong = error instanceof CordonError && error.code === 'vault.passphrase'
      if (!isWrong || !terminal.stdin.isTTY || tries >= MOST_TRIES) throw error
      terminal.stderr.write('That is not the passphrase.\n')
    }
  }
}

/** Whether somebody can be asked about the vault: a person at a terminal who did not ask for JSON. */
export function canAskAboutVault({ surface: { terminal } }: Asking, json: boolean): boolean {
  return terminal.stdin.isTTY && !json
}
