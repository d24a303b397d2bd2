/** `vault …`: secrets by name. A value is typed hidden or piped in; it is never an argument and never printed. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { KeySource, VaultStatus } from '../../kernel/vault-status.ts'
import { askNewPassphrase, askSecret, confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { canAskAboutVault, openVaultHere, setUpVault, unlockVault } from '../open-vault-here.ts'
import { columns, type Output } from '../output.ts'

export function addVaultCommands(program: Command, context: Context): void {
  const vault = program.command('vault').description('keep secrets, encrypted')
  addKeyCommands(vault, context)
  addSecretCommands(vault, context)
}

function addKeyCommands(vault: Command, context: Context): void {
  vault
    .command('init')
    .description('set the vault up; the key comes from the keychain, a passphrase or a key file')
    .addOption(
      vault
        .createOption('--key <source>', 'where the key comes from')
        .choices(['keychain', 'passphrase', 'keyfile']),
    )
    .addHelpText('after', '\nExample:\n  $ cordon vault init --key passphrase')
    .action(async (options: { readonly key?: KeySource }, command: Command) => {
      const status = await withApi(context, command, (api) =>
        init(context, api, options.key, outputOf(context, command).json),
      )
      showVault(outputOf(context, command), status, 'The vault is ready')
    })
  vault
    .command('unlock')
    .description('unlock it for the running Cordon')
    .addHelpText('after', '\nExample:\n  $ cordon vault unlock')
    .action(async (_options: object, command: Command) => {
      const status = await withApi(context, command, (api) => unlock(context, api))
      showVault(outputOf(context, command), status, 'The vault is unlocked')
    })
  vault
    .command('lock')
    .description('wipe its key from memory')
    .addHelpText('after', '\nExample:\n  $ cordon vault lock')
    .action(async (_options: object, command: Command) => {
      const status = await withApi(context, command, (api) => api.call('vault.lock', {}))
      const headline =
        status.state === 'absent' ? 'There is no vault to lock' : 'The vault is locked'
      showVault(outputOf(context, command), status, headline)
    })
  vault
    .command('status')
    .description('show whether it is set up and unlocked')
    .addHelpText('after', '\nExample:\n  $ cordon vault status')
    .action(async (_options: object, command: Command) => {
      const status = await withApi(context, command, (api) => api.call('vault.status', {}))
      showVault(outputOf(context, command), status, `The vault is ${status.state}`)
    })
  addRotate(vault, context)
  addReset(vault, context)
}

function addRotate(vault: Command, context: Context): void {
  vault
    .command('rotate')
    .description('encrypt everything anew under a new key')
    .addHelpText('after', '\nExample:\n  $ cordon vault rotate --passphrase')
    .option('--passphrase', 'also protect it with a new passphrase')
    .action(async (options: { readonly passphrase?: boolean }, command: Command) => {
      const input = options.passphrase
        ? { passphrase: await askNewPassphrase(context.surface.terminal, context.signal) }
        : {}
      const done = await withApi(context, command, (api) => api.call('vault.rotate', input))
      const lines = [`${done.records} secrets are encrypted under a new key.`]
      outputOf(context, command).answer(done, () => lines)
    })
}

function addReset(vault: Command, context: Context): void {
  vault
    .command('reset')
    .description(
      'set the vault aside, as when its passphrase is forgotten, to make room for a new one',
    )
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon vault reset')
    .action(async (options: { readonly yes?: boolean }, command: Command) => {
      const done = await withApi(context, command, async (api) => {
        const { secrets } = await api.call('vault.list', {})
        await confirm(context, lossOf(secrets.map(({ name }) => name)), options.yes === true)
        return { ...(await api.call('vault.set-aside', {})), secrets }
      })
      outputOf(context, command).answer(done, () => [
        `The old vault is in ${done.folder}. It opens again with its passphrase if you stop Cordon and move it back.`,
        'Run `cordon connect SERVICE` for each service that needs a credential: the first one sets up a new vault.',
      ])
    })
}

function lossOf(names: readonly string[]): string {
  const what =
    names.length === 0
      ? 'It holds no secrets.'
      : `Cordon loses ${names.join(', ')}: each service has to be connected again.`
  return `Set the vault aside? ${what} Its files are kept in a folder beside it.`
}

function addSecretCommands(vault: Command, context: Context): void {
  vault
    .command('set')
    .argument('<name>', 'the name it is lent by, as in `vault:name`')
    .description('store a secret, typed hidden or piped in')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon vault set notion_token\n  $ cordon vault set notion_token < token.txt',
    )
    .action(async (name: string, _options: object, command: Command) => {
      const done = await withApi(context, command, async (api) => {
        await requireUnlocked(context, api, outputOf(context, command))
        const value = await askSecret(context.surface.terminal, `Value of ${name}`, context.signal)
        return await api.call('vault.set', { name, value })
      })
      const verb = done.replaced ? 'Replaced' : 'Stored'
      outputOf(context, command).answer(done, () => [`${verb} ${done.name}.`])
    })
  vault
    .command('list')
    .description('list the names; values are never shown')
    .addHelpText('after', '\nExample:\n  $ cordon vault list')
    .action(async (_options: object, command: Command) => {
      const list = await withApi(context, command, (api) => api.call('vault.list', {}))
      const rows = list.secrets.map((secret) => [
        secret.name,
        secret.updatedAt,
        secret.damaged ? 'DAMAGED' : '',
      ])
      outputOf(context, command).answer(list, () =>
        rows.length === 0 ? ['No secrets yet.'] : columns(rows),
      )
    })
  vault
    .command('rm')
    .argument('<name>')
    .description('forget a secret')
    .addHelpText('after', '\nExample:\n  $ cordon vault rm notion_token')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { readonly yes?: boolean }, command: Command) => {
      const question = `Forget ${name}? It cannot be brought back.`
      await confirm(context, question, options.yes === true)
      const done = await withApi(context, command, (api) => api.call('vault.remove', { name }))
      outputOf(context, command).answer(done, () => [
        done.removed ? `Forgot ${name}.` : `There was no ${name}.`,
      ])
    })
}

/** Creates the vault: by the source that is named or chosen, or by the best one where nobody can be asked. */
async function init(
  context: Context,
  api: Api,
  source: KeySource | undefined,
  json: boolean,
): Promise<VaultStatus> {
  const { terminal } = context.surface
  if (source === 'keychain' || source === 'keyfile') return await api.call('vault.init', { source })
  if (source === undefined) {
    if (!canAskAboutVault(context, json)) return await api.call('vault.init', {})
    const status = await api.call('vault.status', {})
    if (status.state === 'absent') return await setUpVault(context, api)
  }
  const passphrase = await askNewPassphrase(terminal, context.signal)
  return await api.call('vault.init', { source: 'passphrase', passphrase })
}

async function unlock(context: Context, api: Api): Promise<VaultStatus> {
  return await unlockVault(context, api, await api.call('vault.status', {}))
}

/** Before a secret is typed: a person opens the vault first, and a pipe is refused. */
export async function requireUnlocked(context: Context, api: Api, output: Output): Promise<void> {
  const { state, warnings } = await api.call('vault.status', {})
  if (state === 'unlocked') return
  if (canAskAboutVault(context, output.json)) return void (await openVaultHere(context, api))
  for (const warning of warnings) output.note(`cordon: warning: ${warning}`)
  const command = state === 'absent' ? 'cordon vault init' : 'cordon vault unlock'
  throw new CordonError(
    'cli.vault-closed',
    { exit: 4, hint: `Run \`${command}\`, then try again` },
    `Cannot store a secret: the vault is ${state === 'absent' ? 'not set up' : 'locked'}`,
  )
}

function showVault(output: Output, status: VaultStatus, headline: string): void {
  const source = status.keySource ? ` (key: ${status.keySource})` : ''
  const warnings = status.warnings.map((line) => output.paint('yellow', `warning: ${line}`))
  output.answer(status, () => [`${headline}${source}.`, ...warnings])
}
