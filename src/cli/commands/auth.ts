/** `auth …`: the tokens that providers gave us. */
import type { Command } from 'commander'
import type { TokenStatus } from '../../kernel/setup-port.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printable } from '../output.ts'

export function addAuthCommands(program: Command, context: Context): void {
  const auth = program.command('auth').description('tokens from signing in')
  auth
    .command('status')
    .description('list the tokens and how long they last')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('auth.status', {}))
      outputOf(context, command).answer(answer, () => describeTokens(answer.tokens))
    })
  auth
    .command('refresh')
    .argument('<name>')
    .description('get a new token now')
    .action(async (name: string, _options: object, command: Command) => {
      const status = await withApi(context, command, (api) =>
        api.call('auth.refresh', { name }, context.signal),
      )
      outputOf(context, command).answer(status, () => describeTokens([status]))
    })
  auth
    .command('revoke')
    .argument('<name>')
    .description('give a token back to its provider and forget it')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { readonly yes?: boolean }, command: Command) => {
      const question = `Give the token ${JSON.stringify(name)} back? Its servers stop working`
      await confirm(context.surface.terminal, question, options.yes === true)
      await withApi(context, command, (api) => api.call('auth.revoke', { name }, context.signal))
      outputOf(context, command).answer({ name }, () => [`The token ${name} is gone.`])
    })
  auth
    .command('callback')
    .argument('<url>', 'the address at which the browser ended up')
    .description('finish signing in where the browser could not come back by itself')
    .action(async (url: string, _options: object, command: Command) => {
      await withApi(context, command, (api) => api.call('auth.callback', { url }, context.signal))
      outputOf(context, command).answer({}, () => ['Signed in.'])
    })
}

function describeTokens(tokens: readonly TokenStatus[]): readonly string[] {
  if (tokens.length === 0) return ['No tokens yet. `cordon connect NAME` signs in where it can.']
  return columns(
    tokens.map(({ name, state, expiresAt, issuer, scope }) =>
      [name, state, expiresAt ?? 'no end known', issuer ?? '', scope ?? ''].map(printable),
    ),
  )
}
