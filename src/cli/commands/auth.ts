/** `auth …`: the OAuth tokens. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { nextView } from '../../api/long-poll.ts'
import type { ShownToken } from '../../api/connect.ts'
import type { ConnectionPhase, ConnectionView } from '../../ports/setup-port.ts'
import { askSecret, confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { addClientCommands } from './auth-client.ts'
import { columns, type Output, printableLine } from '../output.ts'

export function addAuthCommands(program: Command, context: Context): void {
  const auth = program.command('auth').description('tokens from signing in')
  auth
    .command('status')
    .description('list the tokens and how long they last')
    .addHelpText('after', '\nExample:\n  $ cordon auth status')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('auth.status', {}))
      outputOf(context, command).answer(answer, () => describeTokens(answer.tokens))
    })
  auth
    .command('refresh')
    .argument('<name>')
    .description('get a new token now')
    .addHelpText('after', '\nExample:\n  $ cordon auth refresh notion')
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
    .addHelpText('after', '\nExample:\n  $ cordon auth revoke notion')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { readonly yes?: boolean }, command: Command) => {
      const question = `Give the token ${JSON.stringify(name)} back? Its servers stop working`
      await confirm(context, question, options.yes === true)
      await withApi(context, command, (api) => api.call('auth.revoke', { name }, context.signal))
      outputOf(context, command).answer({ name }, () => [`The token ${name} is gone.`])
    })
  addClientCommands(auth, context)
  auth
    .command('callback')
    .argument('[url]', 'better typed when asked: other programs can read the command line')
    .description('finish signing in where the browser could not come back by itself')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon auth callback\n  $ cordon auth callback < url.txt',
    )
    .action(async (given: string | undefined, _options: object, command: Command) => {
      const question = 'The address at which the browser ended up'
      const url = given ?? (await askSecret(context.surface.terminal, question, context.signal))
      await withApi(context, command, (api) =>
        handOver(api, url, context, outputOf(context, command)),
      )
    })
}

/** The connection that started the sign-in redeems the code in the URL; its next view tells whether that worked. */
async function handOver(api: Api, url: string, context: Context, output: Output): Promise<void> {
  const { connection: asked } = await api.call('connect.view', {})
  await api.call('auth.callback', { url }, context.signal)
  if (!asked?.question?.authorize) return output.answer({}, () => ['Handed over.'])
  const next = await nextOf(api, asked, context.signal)
  for (const text of next.said.slice(asked.said.length)) output.note(text)
  const isAskedAgain = next.question?.title === asked.question.title
  const signedIn = !isAskedAgain && !UNSIGNED.has(next.phase)
  output.answer({ signedIn }, () => [signedIn ? 'Signed in.' : 'Not signed in.'])
  if (!signedIn) context.endWith(5)
}

const UNSIGNED: ReadonlySet<ConnectionPhase> = new Set(['failed', 'cancelled'])

/** The view once the connection no longer waits for this sign-in. */
async function nextOf(
  api: Api,
  asked: ConnectionView,
  signal: AbortSignal,
): Promise<ConnectionView> {
  let view = asked
  while (view.question?.authorize && view.question.authorize === asked.question?.authorize) {
    view = await nextView(api, view, signal)
  }
  return view
}

function describeTokens(tokens: readonly ShownToken[]): readonly string[] {
  if (tokens.length === 0) return ['No tokens yet. `cordon connect NAME` signs in where it can.']
  return columns(
    tokens.map(({ name, state, expiresAt, issuer, scope, account }) => {
      const who = account === undefined ? '' : JSON.stringify(account)
      const facts = [name, state, expiresAt ?? 'no end known', issuer ?? '', scope ?? '', who]
      return facts.map(printableLine)
    }),
  )
}
