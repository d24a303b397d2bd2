/** `vault …`: secrets by name. A value is typed hidden or piped in; it is never an argument and never printed. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { KeySource, VaultStatus } from '../../kernel/vault-status.ts'
import { askNewPassphrase, askSecret, confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
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
      const status = await withApi(context, command, (api) => init(context, api, options.key))
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
      showVault(outputOf(context, command), status, 'The vault is locked')
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
        await requireUnlocked(api, outputOf(context, command))
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

/** Creates the vault: keychain first, else a passphrase; a key file only on request or without a terminal. */
async function init(
  context: Context,
  api: Api,
  source: KeySource | undefined,
): Promise<VaultStatus> {
  const { terminal } = context.surface
  if (source === 'keychain' || source === 'keyfile') return await api.call('vault.init', { source })
  if (source === undefined) {
    const status = await tryKeychain(api)
    if (status) return status
    if (!terminal.stdin.isTTY) return await api.call('vault.init', { source: 'keyfile' })
  }
  const passphrase = await askNewPassphrase(terminal, context.signal)
  return await api.call('vault.init', { source: 'passphrase', passphrase })
}

async function tryKeychain(api: Api): Promise<VaultStatus | undefined> {
  try {
    return await api.call('vault.init', { source: 'keychain' })
  } catch (error) {
    if (error instanceof CordonError && error.code === 'vault.keychain') return undefined
    throw error
  }
}

async function unlock(context: Context, api: Api): Promise<VaultStatus> {
  const status = await api.call('vault.status', {})
  if (status.keySource !== 'passphrase') return await api.call('vault.unlock', {})
  const passphrase = await askSecret(context.surface.terminal, 'Passphrase', context.signal)
  return await api.call('vault.unlock', { passphrase })
}

/** Checked before a secret is typed: a locked vault could not store it. */
async function requireUnlocked(api: Api, output: Output): Promise<void> {
  const { state, warnings } = await api.call('vault.status', {})
  if (state === 'unlocked') return
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
