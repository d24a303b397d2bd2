/**
 * `auth client`: asks once for an OAuth client that the owner registered with a provider, and keeps it in the vault, so
 * that signing in needs no edited file. The secret is typed hidden.
 */
import type { Command } from 'commander'
import { CordonError } from '../../kernel/error.ts'
import { createAnswers } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { addClientDocumentCommand } from './client-document.ts'
import { requireUnlocked } from './vault.ts'

const PROVIDER = /^[a-z0-9][a-z0-9.-]{0,99}$/

/** Both ways to be known to a provider: a client of one's own, and a document that describes one. */
export function addClientCommands(auth: Command, context: Context): void {
  addClientDocumentCommand(auth, context)
  auth
    .command('client')
    .argument('<provider>', 'github, google, or the host of a remote MCP server')
    .description('enter a client id that you registered with a provider, once')
    .option('--no-secret', 'the client has no secret, as one for signing in with a code')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon auth client github --no-secret\n  $ cordon auth client google < id-and-secret.txt',
    )
    .action(async (provider: string, options: { readonly secret: boolean }, command: Command) => {
      if (!PROVIDER.test(provider)) throw noProvider(provider)
      const { surface, signal } = context
      const output = outputOf(context, command)
      using answers = createAnswers(surface.terminal, signal)
      await withApi(context, command, async (api) => {
        await requireUnlocked(context, api, output)
        const id = await answers.next(`Client id for ${provider}`, false, signal)
        const secret = options.secret
          ? await answers.next(`Client secret for ${provider}`, true, signal)
          : ''
        const name = `oauth-app/${provider}`
        await api.call('vault.set', { name: `${name}/id`, value: id.trim() }, signal)
        if (secret.trim() !== '') {
          await api.call('vault.set', { name: `${name}/secret`, value: secret.trim() }, signal)
        }
      })
      output.answer({ provider }, () => [
        `Kept in the vault. \`cordon connect\` now signs in to ${provider} with it.`,
      ])
    })
}

function noProvider(name: string): CordonError {
  return new CordonError(
    'cli.provider',
    { exit: 2, hint: 'Write it like `github`, or like `mcp.example.com`' },
    `Cannot keep a client for ${JSON.stringify(name)}: that is no name of a provider`,
  )
}
