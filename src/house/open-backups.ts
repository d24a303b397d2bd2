/** Builds the backup of a running kernel: each room gives its state of one moment. Contains no rules. */
import { writeBackup } from '../home/backup/write-backup.ts'
import type { HomePaths } from '../home/home-paths.ts'
import type { Backups } from '../api/backup.ts'
import type { Audit, Vault } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import { createSerialQueue } from '../text/serial-queue.ts'

interface BackupRooms {
  readonly home: { readonly paths: HomePaths }
  readonly vault: Pick<Vault, 'portable'>
  readonly audit: Pick<Audit, 'appendDurable' | 'damage' | 'snapshot'>
  readonly store: { readonly kind: 'sqlite' | 'postgresql' }
}

export function openBackups(rooms: BackupRooms, version: string): Backups {
  const { home, vault, audit, store } = rooms
  const oneAtATime = createSerialQueue()
  let read = 0
  const sources = {
    paths: home.paths,
    manifest: { cordon: version, store: store.kind },
    vault: () => vault.portable(),
    audit: () => audit.snapshot(),
    now: Date.now,
  }
  return {
    progress: () => ({ bytes: read }),
    write: (request, signal) =>
      oneAtATime(async () => {
        read = 0
        // A home whose log is damaged can be backed up all the same.
        if (audit.damage === undefined) await audit.appendDurable(recordOf(request.lock))
        const onBytes = (bytes: number): void => void (read += bytes)
        return await writeBackup(sources, request, onBytes, signal)
      }),
  }
}

function recordOf(lock: object): Parameters<Audit['appendDurable']>[0] {
  const details = { lock: 'passphrase' in lock ? 'passphrase' : 'recipients' }
  return { kind: 'home.backup', principal: OWNER.id, subject: 'home', details }
}
