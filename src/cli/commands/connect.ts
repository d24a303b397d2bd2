/** `connect` and `disconnect`: a connection in a terminal. Secrets are typed hidden and sent to the kernel only. */
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Api, Input } from '../../api/contract.ts'
import { isClientSettings } from '../../text/client-settings.ts'
import { nextView } from '../../api/long-poll.ts'
import { isOffered } from '../../api/show-proposal.ts'
import { CordonError } from '../../kernel/error.ts'
import { accountId } from '../../text/account-id.ts'
import { printable } from '../../text/untrusted-text.ts'
import type { ConnectionPhase, ConnectionQuestion, ConnectionView } from '../../ports/setup-port.ts'
import type { ToolProposal } from '../../kernel/tool-proposal.ts'
import { type Answers, confirm, createAnswers, isConfirmed } from '../ask.ts'
import { type Context, outputOf, type Surface, withApi } from '../context.ts'
import { canAskAboutVault, openVaultHere } from '../open-vault-here.ts'
import type { Output } from '../output.ts'
import { awaitBrowser } from './await-browser.ts'
import { wishFrom, type WishOptions, withWishOptions } from './wish-options.ts'
import { type PlaceOptions, placesFrom, withPlaceOptions } from './definition-options.ts'
import { describeMarked, offerProposal } from './mark-tools.ts'
import { migrate } from './mcp-migrate.ts'
import { dataLoss, describeRemoval, type RemoveOptions } from './removal-view.ts'

const ENDS: Readonly<Partial<Record<ConnectionPhase, 0 | 3 | 5>>> = {
  connected: 0,
  cancelled: 3,
  failed: 5,
}

export function addConnectCommands(program: Command, context: Context): void {
  withWishOptions(withPlaceOptions(program.command('connect')))
    .argument('<service...>', 'a known name, a package, a URL, a line to paste in quotes, or -')
    .description('connect a service: credentials, install, start, test')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon connect notion\n  $ cordon connect github < token.txt\n  $ cordon connect github as work\n  $ cordon connect filesystem --write ~/notes\n  $ cordon connect "npx -y @modelcontextprotocol/server-memory"\n  $ cordon connect @acme/maps-mcp --allow api.acme.com --env MAPS_KEY\n  $ cordon connect \'{"mcpServers": …}\'\n  $ cordon connect - < mcp.json',
    )
    .option('--as-said', 'take what its tools say they do, without asking; see `cordon tools mark`')
    .action(async (words: string[], options: ConnectOptions, command: Command) => {
      const pasted = words.join(' ')
      const name = pasted === '-' ? await text(context.surface.terminal.stdin) : pasted
      if (isClientSettings(name)) await addPasted(context, command, name)
      else await converse(context, command, name.trim(), options)
    })
  program
    .command('disconnect')
    .argument('<server...>', 'its name, also as `github as work`')
    .description('stop a service, give its tokens back, and forget it')
    .option('--keep-secrets', 'leave its secrets in the vault')
    .option('--keep-data', 'leave what it kept between its starts')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon disconnect notion')
    .action(async (words: string[], options: RemoveOptions, command: Command) => {
      await disconnect(context, command, accountId(words.join(' ')), options)
    })
}

/** Settings of another client: each server is shown, added and started. */
async function addPasted(context: Context, command: Command, settings: string): Promise<void> {
  const switches = { dryRun: false, backup: false, replace: false }
  await migrate(context, command, { path: 'the pasted text', text: settings, ...switches }, false)
}

interface ConnectOptions extends PlaceOptions, WishOptions {
  readonly asSaid?: boolean
}

interface Conversation {
  readonly context: Context
  readonly api: Api
  readonly output: Output
  readonly answers: Answers
  readonly surface: Surface
  readonly signal: AbortSignal
}

async function converse(
  context: Context,
  command: Command,
  name: string,
  options: ConnectOptions,
): Promise<void> {
  await withApi(context, command, async (api) => {
    const output = outputOf(context, command)
    const { workingFolder } = context.surface
    const wanted = { name, ...wishFrom(options), ...placesFrom(options, workingFolder) }
    const last = await connectHere(context, { api, output }, wanted)
    const words = await settle({ context, api, output }, last, options.asSaid === true)
    output.answer(words.answer, () => words.lines.map(printable))
    const code = ENDS[last.phase]
    if (code) context.endWith(code)
  })
}

/** One connection to its end, at this terminal; the last message is left to the caller. */
export async function connectHere(
  context: Context,
  { api, output }: Pick<Conversation, 'api' | 'output'>,
  wish: Input<'connect.start'>,
): Promise<ConnectionView> {
  const { signal, surface } = context
  using answers = createAnswers(surface.terminal, signal)
  const asksVault = canAskAboutVault(context, output.json) ? { asksVault: true } : {}
  const first = await api.call('connect.start', { ...wish, ...asksVault }, signal)
  const talk = { context, api, output, answers, surface, signal }
  return await follow(talk, first).catch(async (error: unknown) => {
    await api.call('connect.cancel', {}).catch(() => undefined) // no person is left to answer
    throw error
  })
}

interface Settling {
  readonly context: Context
  readonly api: Api
  readonly output: Output
}

/**
 * After the connection: what its tools claim, for the owner to take. Nothing is taken without a yes at the terminal or
 * `--as-said`.
 */
async function settle(
  { context, api, output }: Settling,
  last: ConnectionView,
  asSaid: boolean,
): Promise<{ readonly answer: object; readonly lines: readonly string[] }> {
  const said = [last.said.at(-1) ?? '']
  if (last.phase !== 'connected') return { answer: last, lines: said }
  const proposal = await api.call('tools.proposal', { server: last.service })
  if (!isOffered(proposal)) return { answer: last, lines: said }
  const { server, set } = proposal
  const taken = asSaid
    ? await api.call('tools.mark', { server, set, change: { kind: 'as-said' } })
    : output.json
      ? undefined
      : await offerProposal(context, api, proposal)
  const more = taken ? describeMarked(proposal, taken) : [untaken(proposal)]
  return { answer: { ...last, proposal: taken ?? proposal }, lines: [...said, ...more] }
}

function untaken({ server, summary }: ToolProposal): string {
  return `${summary}. You are asked about each; \`cordon tools mark ${server}\` shows them.`
}

/** Follows the connection to its end: prints its messages, asks its questions, waits in between. */
async function follow(talk: Conversation, first: ConnectionView): Promise<ConnectionView> {
  let told = 0
  for (let view = first; ; ) {
    const isOver = ENDS[view.phase] !== undefined
    // The last message is the command's answer, and is printed as such; or a question that the prompt repeats.
    const isShownElsewhere = isOver || (view.question && isYesNo(view.question))
    const texts = view.said.slice(told, isShownElsewhere ? -1 : undefined)
    for (const text of texts) talk.output.note(text)
    told = view.said.length
    if (isOver) return view
    view = await next(talk, view)
  }
}

async function next(talk: Conversation, view: ConnectionView): Promise<ConnectionView> {
  const { api, signal } = talk
  if (view.phase === 'awaiting-vault') {
    await openVaultHere(talk.context, api)
    return await nextView(api, view, signal)
  }
  const { question } = view
  if (question?.authorize || question?.device) return await awaitBrowser(talk, view, question)
  if (!question) return await nextView(api, view, signal)
  const settled = new AbortController()
  const over = AbortSignal.any([signal, settled.signal])
  const typed = ask(talk, view, question, over)
  // The question may be answered on the form or in a chat instead, or be closed before the person has typed.
  const changed = nextView(api, view, over)
  try {
    return await Promise.race([typed, changed])
  } finally {
    settled.abort()
    void Promise.allSettled([typed, changed])
  }
}

async function ask(
  talk: Conversation,
  { connection, title }: ConnectionView,
  question: ConnectionQuestion,
  over: AbortSignal,
): Promise<ConnectionView> {
  const { api, answers, output, surface, signal } = talk
  const choices = Object.keys(question.choices ?? {})
  const words = choices.length === 0 ? '' : ` (${choices.join(' or ')})`
  const asked = `${title} ${question.title}${words}`
  for (;;) {
    const value = isYesNo(question)
      ? await yesOrNo(talk, question.title, over)
      : await answers.next(asked, question.isSecret, over)
    try {
      return await api.call('connect.provide', { connection, value }, signal)
    } catch (error) {
      // A person names another folder; a program that pipes its answers in has no better one.
      if (!isOtherPlaceWanted(error) || !surface.terminal.stdin.isTTY) throw error
      output.note(`${error.message}. ${error.hint}.`)
    }
  }
}

function isYesNo({ choices }: ConnectionQuestion): boolean {
  return choices?.['yes'] !== undefined
}

/** Without a person at a terminal the answer is no: the failure then names the option that says yes. */
async function yesOrNo(
  { surface: { terminal }, output }: Conversation,
  question: string,
  over: AbortSignal,
): Promise<string> {
  if (!terminal.stdin.isTTY || output.json) return 'no'
  return (await isConfirmed(terminal, question, over)) ? 'yes' : 'no'
}

function isOtherPlaceWanted(error: unknown): error is CordonError {
  return error instanceof CordonError && error.code === 'setup.place'
}

async function disconnect(
  context: Context,
  command: Command,
  server: string,
  options: RemoveOptions,
): Promise<void> {
  const { keepSecrets = false, keepData = false, yes = false } = options
  const also = keepSecrets ? '' : ' Its stored credentials are removed too.'
  await withApi(context, command, async (api) => {
    const loss = await dataLoss(api, server, options)
    await confirm(context, `Disconnect "${server}"?${also}${loss}`, yes)
    const input = { server, keepSecrets, keepData }
    const done = await api.call('connect.remove', input, context.signal)
    outputOf(context, command).answer(done, () => [
      `Disconnected ${server}.`,
      ...describeRemoval(done),
    ])
  })
}
