/** Builds a vault on a folder. `folder-vault.ts` describes a vault and its guarantees. */
import type { Audit, Files, Log, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { PinPath } from '../ports/pinned-path-port.ts'
import { FolderVault } from './folder-vault.ts'
import { createHeaderFile, type KdfCost } from './header.ts'
import { createKeySources } from './key-sources.ts'
import type { Keychain } from './keychain.ts'
import { createLeases } from './leases.ts'
import { KDF_COST } from './passphrase-key.ts'
import { createRecordFiles } from './record-files.ts'
import type { TeachableRedactor } from './redactor.ts'
import { createUnlockAttempts } from './unlock-attempts.ts'
import { VaultKeys } from './vault-keys.ts'

export interface VaultParts {
  /** The owner of the home: its keys are made and opened in their name, and a file of unknown owner is listed for them. */
  readonly owner: PrincipalId
  readonly folder: string
  readonly files: Files
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly redactor: TeachableRedactor
  readonly keychain: Keychain
  /** For `env:` references. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** For `~` in `file:` references. */
  readonly homeFolder: string
  /** No file in it is ever a secret to lend, whatever a link to it is called. */
  readonly cordonHome?: string
  /** The folders that a server may write: a link in one of them is not followed to a secret. */
  readonly writableFolders?: () => readonly string[]
  /** For `file:` references. */
  readonly pinPath: PinPath
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** For tests: a lower argon2 cost for passphrases that are set from now on. */
  readonly dangerouslyCheapKdf?: KdfCost
}

/** A vault whose key comes from a keychain or key file is unlocked on return; a passphrase vault waits for `unlock`. */
export async function openVault(parts: VaultParts): Promise<Vault & AsyncDisposable> {
  const { owner, folder, files, audit, redactor, keychain, log, now } = parts
  const records = createRecordFiles(files, folder)
  const header = createHeaderFile(files, folder, async () => (await records.ids()).length > 0)
  const cost = parts.dangerouslyCheapKdf ?? KDF_COST
  const keys = new VaultKeys({
    owner,
    header,
    records,
    sources: createKeySources({ folder, files, keychain, cost }),
    attempts: createUnlockAttempts(files, folder, now),
    audit,
    log,
  })
  const vault = new FolderVault({
    owner,
    header,
    records,
    keys,
    leases: createLeases(redactor),
    audit,
    redactor,
    files,
    refs: {
      environment: parts.environment,
      homeFolder: parts.homeFolder,
      vaultFolder: folder,
      cordonHome: parts.cordonHome ?? folder,
      writableFolders: parts.writableFolders ?? (() => []),
      pinPath: parts.pinPath,
      log,
      now,
    },
  })
  await vault.unlockByItself()
  return vault
}
