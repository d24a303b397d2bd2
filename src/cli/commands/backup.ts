/** `backup` and `restore`: the whole home as one encrypted file, and back. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import type { BackupReport } from '../../api/backup.ts'
import { askNewPassphrase, askSecret, confirm } from '../ask.ts'
import { type Context, outputOf, type RestoreAnswer, withApi } from '../context.ts'
import { type Output, printableLine } from '../output.ts'
import { watchProgress } from '../watch-progress.ts'

interface BackupOptions {
  readonly recipient?: readonly string[]
  readonly force?: boolean
}

interface RestoreOptions {
  readonly replace?: boolean
  readonly identity?: string
  readonly yes?: boolean
}

const BACKUP_HELP = `
It holds the vault, servers, flows, schedules, memory, grants, the audit log and your settings, in the format of age:
\`age -d FILE | tar t\` lists it anywhere. The passphrase is typed hidden, or piped in. There is no way to the backup
without it: keep it somewhere else than the backup.

Example:
  $ cordon backup ~/cordon.age
  $ cordon backup /mnt/usb/cordon.age --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p`

const RESTORE_HELP = `
Restores into a home that does not exist yet or is empty. With --replace the home that is there is put aside, not
deleted. Nothing is changed until the whole backup was read and checked. Restore only backups that you made: what is in
one is trusted as yours.

Example:
  $ cordon restore ~/cordon.age`

export function addBackupCommands(program: Command, context: Context): void {
  program
    .command('backup')
    .argument('<file>', 'the file to write')
    .description('write everything of yours into one encrypted file')
    .option('--recipient <key...>', 'for the owner of this age key, instead of a passphrase')
    .option('--force', 'replace a file that has this name')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string, options: BackupOptions, command: Command) =>
      backUp(context, file, options, command),
    )
  program
    .command('restore')
    .argument('<file>', 'a file that `cordon backup` wrote')
    .description('bring a backup back, on this or another machine')
    .option('--identity <file>', 'the age identity that a backup with --recipient was made for')
    .option('--replace', 'put the home that is there aside')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, options: RestoreOptions, command: Command) =>
      bringBack(context, file, options, command),
    )
}

async function backUp(
  context: Context,
  name: string,
  { recipient: recipients, force }: BackupOptions,
  command: Command,
): Promise<void> {
  const { surface, signal } = context
  const file = path.resolve(surface.workingFolder, name)
  const output = outputOf(context, command)
  const lock = recipients
    ? { recipients }
    : { passphrase: await askNewPassphrase(surface.terminal, signal) }
  const report = await withApi(context, command, async (api) => {
    using progress = watchProgress(output, async () => {
      const { bytes } = await api.call('backup.progress', {})
      return bytes === 0 ? '' : `${sizeOf(bytes)} backed up …`
    })
    const done = await api.call('backup.write', { file, ...lock, ...(force && { force }) }, signal)
    progress.end()
    return done
  })
  output.answer(report, () => describeBackup(report))
}

function describeBackup({ file, bytes, members, leftOut, store }: BackupReport): readonly string[] {
  const [first] = leftOut
  return [
    `Wrote ${printableLine(file)}: ${sizeOf(bytes)}, ${members} files.`,
    ...(first === undefined
      ? []
      : [
          `Left out, since a backup holds plain files only: ${leftOut.map(printableLine).join(', ')}`,
        ]),
    ...(store === 'postgresql'
      ? ['Tables and runs are in PostgreSQL and not in this file: back them up with `pg_dump`.']
      : []),
  ]
}

async function bringBack(
  context: Context,
  name: string,
  { replace = false, identity, yes = false }: RestoreOptions,
  command: Command,
): Promise<void> {
  const { surface, signal } = context
  const output = outputOf(context, command)
  const file = path.resolve(surface.workingFolder, name)
  if (replace) {
    const question = 'Put the home that is there aside, and restore the backup in its place?'
    await confirm(context, question, yes)
  }
  const total = (await stat(file).catch(() => undefined))?.size ?? 0
  let read = 0
  using progress = watchProgress(output, async () =>
    read === 0 ? '' : `${sizeOf(read)} of ${sizeOf(total)} read …`,
  )
  const wish = {
    file,
    replace,
    ...(identity !== undefined && { identity: path.resolve(surface.workingFolder, identity) }),
    askPassphrase: () =>
      progress.quietly(() => askSecret(surface.terminal, 'Passphrase of the backup', signal)),
    onBytes: (bytes: number) => void (read += bytes),
  }
  const answer = await surface.restore(wish, signal)
  progress.end()
  output.answer(answer, () => describeRestore(answer, output))
  if (!answer.audit.ok) context.endWith(3)
}

function describeRestore(answer: RestoreAnswer, output: Output): readonly string[] {
  const { home, members, madeAt, aside, store, vaultKey, audit } = answer
  const warn = (line: string): string => output.paint('yellow', `warning: ${line}`)
  return [
    `Restored ${printableLine(home)}: ${members} files, as of ${madeAt}.`,
    audit.problem
      ? warn(
          `The audit log was damaged when the backup was made: ${printableLine(audit.problem.message)}`,
        )
      : `The audit log is whole: ${audit.records} records, head ${audit.head}`,
    ...(aside === null ? [] : [`The home that was there is kept in ${printableLine(aside)}.`]),
    ...(vaultKey === 'keychain' ? [warn(KEYCHAIN)] : []),
    ...(vaultKey === 'passphrase' ? ['The vault opens with its own passphrase, as before.'] : []),
    ...(store === 'postgresql' ? [warn(POSTGRES)] : []),
    'Packages are not in a backup: install a server that needs one with `cordon connect NAME`; its credentials are there.',
    'Start with `cordon up`.',
  ]
}

const KEYCHAIN =
  'The key of the vault was in a keychain, which stays on its machine. Here it is a file beside the secrets: run `cordon vault rotate --passphrase`'
const POSTGRES =
  'Tables and runs were in PostgreSQL and are not in a backup: set DATABASE_URL before `cordon up`'

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} KiB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
