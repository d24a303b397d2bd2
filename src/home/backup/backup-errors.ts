/** Errors of backup and restore. None of them tells what a backup holds. */
import { CordonError } from '../../kernel/error.ts'

export function backupExists(file: string): CordonError {
  return new CordonError(
    'home.backup-exists',
    { exit: 2, hint: 'Name another file, or add `--force` to replace this one' },
    `Cannot write the backup ${JSON.stringify(file)}: there is a file of that name`,
  )
}

export function noPlaceForBackup(file: string, cause: unknown): CordonError {
  return new CordonError(
    'home.backup-place',
    { exit: 2, hint: 'Name a file in a folder that exists and that you may write to' },
    `Cannot write the backup ${JSON.stringify(file)}`,
    cause,
  )
}

export function badRecipient(cause: unknown): CordonError {
  return new CordonError(
    'home.backup-recipient',
    { exit: 2, hint: 'Give the public key of an age identity, as `age-keygen` prints it: age1…' },
    'Cannot encrypt a backup for this recipient',
    cause,
  )
}

export function changedWhileRead(name: string): CordonError {
  return new CordonError(
    'home.backup-changed',
    { exit: 5, hint: 'Run the command again; if it is a file of a server, stop that server first' },
    `Cannot back up ${JSON.stringify(name)}: it became shorter while it was read`,
  )
}

export function unreadableBackup(file: string, cause?: unknown): CordonError {
  return new CordonError(
    'home.backup-unreadable',
    { exit: 2, hint: 'Check the path, and that you may read the file' },
    `Cannot read the backup ${JSON.stringify(file)}`,
    cause,
  )
}

export function notABackup(): CordonError {
  return new CordonError(
    'home.backup-foreign',
    { exit: 2, hint: 'Name a file that `cordon backup` wrote' },
    'Cannot restore this file: it is not a backup of Cordon',
  )
}

/** A wrong key and an altered beginning cannot be told apart. */
export function backupLocked(isPassphrase: boolean, cause?: unknown): CordonError {
  const what = isPassphrase ? 'passphrase' : 'identity'
  return new CordonError(
    'home.backup-key',
    { exit: 4, hint: `Run the command again with the ${what} that the backup was made with` },
    `Cannot open the backup with this ${what}; nothing was written`,
    cause,
  )
}

export function identityNeeded(): CordonError {
  return new CordonError(
    'home.backup-identity',
    { exit: 2, hint: 'Add `--identity FILE` with the file that `age-keygen` wrote' },
    'Cannot open the backup: it was made for a recipient, and needs the identity of that recipient',
  )
}

export function badIdentity(file: string, cause?: unknown): CordonError {
  return new CordonError(
    'home.backup-identity',
    {
      exit: 2,
      hint: 'Name a file of yours that holds a line AGE-SECRET-KEY-1…, as `age-keygen` writes it',
    },
    `Cannot use the identity in ${JSON.stringify(file)}`,
    cause,
  )
}

export function backupDamaged(cause?: unknown): CordonError {
  return new CordonError(
    'home.backup-damaged',
    { exit: 5, hint: 'Use another copy of the backup; nothing was written' },
    'Cannot restore this backup: it is cut short or altered',
    cause,
  )
}

/** The name is not repeated: it was chosen by whoever made the file. */
export function memberRefused(): CordonError {
  return new CordonError(
    'home.backup-member',
    { exit: 3, hint: 'Restore only files that `cordon backup` wrote; nothing was written' },
    'Cannot restore this backup: it holds a file that does not belong into a home, or that is too large',
  )
}

export function newerBackup(cordon: string): CordonError {
  return new CordonError(
    'home.backup-newer',
    { exit: 5, hint: 'Update Cordon on this machine, then try again' },
    `Cannot restore this backup: it was made by Cordon ${cordon}, which is newer than this one`,
  )
}

export function homeOccupied(home: string): CordonError {
  return new CordonError(
    'home.occupied',
    {
      exit: 2,
      hint: 'Add `--replace` to put it aside, or point CORDON_HOME at a folder that does not exist yet',
    },
    `Cannot restore into ${JSON.stringify(home)}: there is a home already`,
  )
}
