/** The vault's state, its secret names and its damage. Lends nothing. */
import { CordonError } from '../kernel/error.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { SecretInfo, VaultStatus } from '../kernel/vault-status.ts'
import type { HeaderFile } from './header.ts'
import type { Keyring } from './keyring.ts'
import type { RecordFiles } from './record-files.ts'

interface Found {
  /** Undefined for a damaged file whose owner cannot be read. */
  readonly principal: string | undefined
  readonly secret: SecretInfo
}

export async function surveyVault(
  header: HeaderFile,
  records: RecordFiles,
  ring: Keyring | undefined,
): Promise<VaultStatus> {
  const found = await survey(records, ring)
  const warnings = found.filter(({ secret }) => secret.damaged).map(damageWarning)
  try {
    const read = await header.read()
    if (!read) return { state: 'absent', secrets: 0, warnings }
    if (read.keySource === 'keyfile') warnings.unshift(KEY_FILE_WARNING)
    const state = ring ? 'unlocked' : 'locked'
    return { state, keySource: read.keySource, secrets: found.length, warnings }
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    warnings.unshift(`${error.message}. ${error.hint}.`)
    return { state: ring ? 'unlocked' : 'locked', secrets: found.length, warnings }
  }
}

/** A file without a readable owner is listed for the owner of the home, under the file's own name. */
export async function listSecrets(
  records: RecordFiles,
  ring: Keyring | undefined,
  owner: PrincipalId,
  homeOwner: PrincipalId,
): Promise<readonly SecretInfo[]> {
  const found = await survey(records, ring)
  return found
    .filter(({ principal = homeOwner }) => principal === owner)
    .map(({ secret }) => secret)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function survey(records: RecordFiles, ring: Keyring | undefined): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const id of await records.ids()) {
    const state = await records.inspect(id, ring)
    if (state.kind === 'intact') {
      const { principal, name, createdAt, updatedAt } = state.record
      found.push({ principal, secret: { name, createdAt, updatedAt, damaged: false } })
    }
    if (state.kind === 'damaged') {
      const { principal, name } = state.of ?? { principal: undefined, name: id }
      found.push({ principal, secret: { name, createdAt: '', updatedAt: '', damaged: true } })
    }
  }
  return found
}

const KEY_FILE_WARNING =
  'ANYONE WHO CAN READ THIS HOME CAN READ EVERY SECRET IN IT: the key lies in a file beside them. ' +
  'Run `cordon vault rotate --passphrase` to put a passphrase before them.'

function damageWarning({ secret }: Found): string {
  return (
    `The record of secret ${JSON.stringify(secret.name)} is cut short or altered. ` +
    'Restore the vault folder from a backup, or store the secret anew.'
  )
}
