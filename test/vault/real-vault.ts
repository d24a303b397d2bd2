/** A vault on the real disk, with the real files and the real keychain, but without an audit log. */
import { OWNER } from '../../src/kernel/principal.ts'
import type { Vault } from '../../src/kernel/ports.ts'
import { createFiles } from '../../src/home/files.ts'
import { createKeychain } from '../../src/vault/keychain.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { createRedactor } from '../../src/vault/redactor.ts'

export async function openRealVault(
  folder: string,
  now: () => number = Date.now,
): Promise<Vault & AsyncDisposable> {
  return await openVault({
    pinPath,
    owner: OWNER.id,
    folder,
    homeFolder: folder,
    files: createFiles(),
    redactor: createRedactor(),
    keychain: createKeychain(),
    environment: {},
    audit: { appendDurable: async (event) => ({ ...event, seq: 1, at: '', prev: '', hash: '' }) },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    now,
  })
}
