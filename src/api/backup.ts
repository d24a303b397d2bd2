/** Routes about backups. A page may not ask for one: it names a file of this machine and takes a passphrase. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import { isLongEnough, LEAST_PASSPHRASE } from '../text/is-long-enough.ts'
import { nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface BackupReport {
  readonly file: string
  /** Of the file. */
  readonly bytes: number
  readonly members: number
  /** Names of files that a backup cannot hold, such as links. */
  readonly leftOut: readonly string[]
  /** With PostgreSQL, tables and runs are not in the backup. */
  readonly store: 'sqlite' | 'postgresql'
}

interface BackupInput {
  /** Absolute. */
  readonly file: string
  /** Either this, or `recipients`. */
  readonly passphrase?: string
  /** Public keys of age, age1… */
  readonly recipients?: readonly string[]
  /** Replaces a file that has this name. */
  readonly force?: boolean
}

export interface BackupContract {
  'backup.write': { input: BackupInput; output: BackupReport }
  /** How much of the home the backup under way has read. */
  'backup.progress': { input: Nothing; output: { readonly bytes: number } }
}

export interface Backups {
  write(
    request: {
      readonly file: string
      readonly force: boolean
      readonly lock: { readonly passphrase: string } | { readonly recipients: readonly string[] }
    },
    signal: AbortSignal,
  ): Promise<BackupReport>
  progress(): { readonly bytes: number }
}

export interface BackupDeps {
  readonly backups: Backups
}

export function backupRoutes({ backups }: BackupDeps): Routes<BackupContract> {
  return {
    'backup.write': {
      surface: 'terminal',
      input: z.strictObject({
        file: z.string().min(2).max(4096).startsWith('/', 'an absolute path is needed'),
        passphrase: z.string().min(1).max(1024).exactOptional(),
        recipients: z.array(z.string().min(1).max(4096)).min(1).max(20).exactOptional(),
        force: z.boolean().exactOptional(),
      }),
      handle: ({ file, force = false, ...lock }, signal) =>
        backups.write({ file, force, lock: lockOf(lock) }, signal),
    },
    'backup.progress': {
      surface: 'terminal',
      input: nothing,
      handle: async () => backups.progress(),
    },
  }
}

function lockOf({ passphrase, recipients }: Omit<BackupInput, 'file' | 'force'>) {
  if (passphrase === undefined && recipients) return { recipients }
  if (passphrase !== undefined && !recipients) {
    if (isLongEnough(passphrase)) return { passphrase }
    throw new CordonError(
      'kernel.weak-passphrase',
      { exit: 2, hint: `Choose a passphrase of at least ${LEAST_PASSPHRASE} characters` },
      'Cannot protect a backup with a passphrase this short',
    )
  }
  throw new CordonError(
    'kernel.backup-lock',
    { exit: 2, hint: 'Give a passphrase, or recipients, and not both' },
    'Cannot write a backup: it is not clear who may open it',
  )
}
