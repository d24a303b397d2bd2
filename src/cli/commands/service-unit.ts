/** `service install|status|remove`: Cordon as a systemd unit of this user, which starts with the machine. */
import { type Command, Option } from 'commander'
import { CordonError } from '../../kernel/error.ts'
import type { KeySource } from '../../kernel/vault-status.ts'
import { isConfirmed } from '../ask.ts'
import { type Context, outputOf, type ServiceUnit, type UnitState } from '../context.ts'
import { printableLine } from '../output.ts'

interface InstallOptions {
  readonly vault?: 'keyfile' | 'keychain' | 'ask'
  readonly linger?: boolean
}

const HELP = `
The unit is ~/.config/systemd/user/cordon.service. With lingering it starts with the machine, also after a power cut and
before you log in. --vault states how the vault opens then, and is refused if that is not so:
  keyfile   by itself, with the key file
  keychain  when you have logged in to your desktop
  ask       not at all: it stays locked until you type its passphrase into \`cordon vault unlock\`

Example:
  $ cordon service install --vault ask --linger`

export function addServiceUnitCommands(program: Command, context: Context): void {
  const service = program
    .command('service')
    .description('let Cordon start with this machine, by systemd')
  service
    .command('install')
    .description('write the unit, enable and start it; can be repeated')
    .addOption(
      new Option('--vault <how>', 'how the vault opens after a start').choices([
        'keyfile',
        'keychain',
        'ask',
      ]),
    )
    .option('--linger', 'start with the machine, before you log in')
    .option('--no-linger', 'start when you log in')
    .addHelpText('after', HELP)
    .action((options: InstallOptions, command: Command) => install(context, options, command))
  service
    .command('status')
    .description('show whether it is installed and running')
    .addHelpText('after', '\nExample:\n  $ cordon service status')
    .action(async (_options: object, command: Command) => {
      const unit = await context.surface.unit()
      const state = await unit.status()
      const answer = { ...state, vaultKey: unit.vaultKey ?? null }
      outputOf(context, command).answer(answer, () => describe(state, unit))
    })
  service
    .command('remove')
    .description('stop it, and undo what install did')
    .addHelpText('after', '\nExample:\n  $ cordon service remove')
    .action(async (_options: object, command: Command) => {
      const isRemoved = await (await context.surface.unit()).remove()
      outputOf(context, command).answer({ removed: isRemoved }, () => [
        isRemoved
          ? 'The service is removed. `cordon up` starts Cordon by hand.'
          : 'There was none.',
      ])
    })
}

async function install(
  context: Context,
  { vault, linger }: InstallOptions,
  command: Command,
): Promise<void> {
  const { surface } = context
  const output = outputOf(context, command)
  const unit = await surface.unit()
  if (vault !== undefined) refuseWrongChoice(vault, unit.vaultKey)
  await using running = await surface.findKernel()
  const isOurs = running !== undefined && (await unit.status()).isActive
  const start = running === undefined || isOurs
  const state = await unit.install({
    start,
    linger: linger ?? (await askLinger(context, output.json)),
  })
  const answer = { ...state, vaultKey: unit.vaultKey ?? null, isStarted: start }
  output.answer(answer, () => [...describe(state, unit), ...(start ? [] : [ALREADY_RUNNING])])
}

const ALREADY_RUNNING =
  'Cordon runs already, outside of the service. To hand over: `cordon down`, then `systemctl --user start cordon`.'

/** Yes where nobody can be asked: a service that waits for a login is not there after a power cut. */
async function askLinger({ surface, signal }: Context, json: boolean): Promise<boolean> {
  const { terminal } = surface
  if (!terminal.stdin.isTTY || json) return true
  return await isConfirmed(terminal, 'Start it with the machine, before you log in?', signal)
}

function describe(state: UnitState, { vaultKey, environmentFile }: ServiceUnit): readonly string[] {
  const { path, isInstalled, isEnabled, isActive, isLingering } = state
  if (!isInstalled) return ['The service is not installed: run `cordon service install`.']
  const when = isLingering ? 'starts with the machine' : 'starts when you log in'
  return [
    `${printableLine(path)}: ${isActive ? 'running' : 'not running'}, ${isEnabled ? when : 'not enabled'}.`,
    OPENS[vaultKey ?? 'none'],
    `Settings that are secret, such as DATABASE_URL, go into ${printableLine(environmentFile)}, one NAME=value a line.`,
    'Its log: `journalctl --user -u cordon`.',
  ]
}

const OPENS: Readonly<Record<KeySource | 'none', string>> = {
  keyfile: 'After a start the vault opens by itself, with its key file.',
  keychain:
    'After a start the vault opens with the keychain: after a power cut it stays locked until you log in to your desktop and run `cordon vault unlock`.',
  passphrase: 'After each start the vault is locked until you run `cordon vault unlock`.',
  none: 'There is no vault yet: the first `cordon connect` that needs one asks how it opens.',
}

/** A stated choice that is not so would be found out after the next power cut. */
function refuseWrongChoice(choice: string, key: KeySource | undefined): void {
  const stated = choice === 'ask' ? 'passphrase' : choice
  if (key === undefined || key === stated) return
  const hint =
    choice === 'ask'
      ? 'Run `cordon vault rotate --passphrase` first, or leave `--vault` out'
      : `Say \`--vault ${key === 'passphrase' ? 'ask' : key}\`, or leave \`--vault\` out`
  throw new CordonError(
    'cli.vault-choice',
    { exit: 2, hint },
    `Cannot install the service with --vault ${choice}: the key of the vault comes from a ${key}`,
  )
}
