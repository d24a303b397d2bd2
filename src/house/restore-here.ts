/**
 * Restores a backup as the home of this process: unpacked by the home, then opened once by the rooms that keep things, so
 * that a home which cannot be opened never takes the place of another. Starts no server and no flow.
 */
import { openAudit } from '../audit/open-audit.ts'
import type { RestoreAnswer, RestoreWish } from '../cli/context.ts'
import type { BackupManifest } from '../home/backup/backup-manifest.ts'
import { readIdentities } from '../home/backup/read-identities.ts'
import { restoreHome } from '../home/backup/restore-home.ts'
import type { HomePaths } from '../home/home-paths.ts'
import type { VerifyReport } from '../kernel/audit-record.ts'
import type { Log } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import { openStore } from '../store/open-store.ts'
import { createRedactor } from '../vault/redactor.ts'

const SILENT: Log = { info() {}, warn() {}, error() {} }

export async function restoreHere(
  homePath: string,
  { file, replace, identity, askPassphrase, onBytes }: RestoreWish,
  signal: AbortSignal,
): Promise<RestoreAnswer> {
  const request = {
    file,
    home: homePath,
    replace,
    async key(wanted: 'passphrase' | 'identity') {
      if (identity !== undefined) return { identities: await readIdentities(identity) }
      return wanted === 'passphrase' ? { passphrase: await askPassphrase() } : undefined
    },
  }
  const { home, members, aside, manifest, checked } = await restoreHome(
    request,
    { check, onBytes },
    signal,
  )
  const { madeAt, cordon, store, vaultKey } = manifest
  return { home, members, madeAt, cordon, store, vaultKey, aside: aside ?? null, audit: checked }
}

async function check(paths: HomePaths, manifest: BackupManifest): Promise<VerifyReport> {
  if (manifest.store === 'sqlite') {
    await using _store = await openStore({ sqlitePath: paths.state, log: SILENT })
  }
  await using audit = await openAudit({
    owner: OWNER.id,
    folder: paths.audit,
    anchorPath: paths.auditHead,
    redactor: createRedactor(),
    log: SILENT,
  })
  const { madeAt, cordon } = manifest
  if (audit.damage === undefined) {
    const details = { madeAt, cordon }
    const event = { kind: 'home.restored', principal: OWNER.id, subject: 'home', details } as const
    await audit.appendDurable(event)
  }
  return await audit.verify()
}
