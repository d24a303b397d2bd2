/** `connect` and `disconnect`: a connection in a terminal. Secrets are typed hidden and sent to the kernel only. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { nextView } from '../../api/long-poll.ts'
import { isOffered } from '../../api/show-proposal.ts'
import { printable } from '../../text/untrusted-text.ts'
import type {
  ConnectionPhase,
  ConnectionQuestion,
  ConnectionView,
} from '../../kernel/setup-port.ts'
import type { ToolProposal } from '../../kernel/tool-proposal.ts'
import { type Answers, confirm, createAnswers } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import type { Output } from '../output.ts'
import { describeMarked, offerProposal } from './mark-tools.ts'

const ENDS: Readonly<Partial<Record<ConnectionPhase, 0 | 3 | 5>>> = {
  connected: 0,
  cancelled: 3,
  failed: 5,
}

export function addConnectCommands(program: Command, context: Context): void {
  program
    .command('connect')
    .argument('<service...>', 'a known name, a package, a URL, or a line to paste in quotes')
    .description('connect a service: credentials, install, start, test')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon connect notion\n  $ cordon connect github < token.txt\n  $ cordon connect "npx -y @modelcontextprotocol/server-memory"',
    )
    .option('--as-said', 'take what its tools say they do, without asking; see `cordon tools mark`')
    .action(async (words: string[], options: ConnectOptions, command: Command) => {
      await converse(context, command, words.join(' '), options)
    })
  program
    .command('disconnect')
    .argument('<server>')
    .description('stop a service, give its tokens back, and forget it')
    .option('--keep-secrets', 'leave its secrets in the vault')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ cordon disconnect notion')
    .action(async (server: string, options: DisconnectOptions, command: Command) => {
      await disconnect(context, command, server, options)
    })
}

interface ConnectOptions {
  readonly asSaid?: boolean
}

interface Conversation {
  readonly api: Api
  readonly output: Output
  readonly answers: Answers
  readonly signal: AbortSignal
}

async function converse(
  context: Context,
  command: Command,
  name: string,
  { asSaid = false }: ConnectOptions,
): Promise<void> {
  await withApi(context, command, async (api) => {
    const { signal, surface } = context
    const output = outputOf(context, command)
    using answers = createAnswers(surface.terminal, signal)
    const talk = { api, output, answers, signal }
    const first = await api.call('connect.start', { name }, signal)
    const last = await follow(talk, first).catch(async (error: unknown) => {
      await api.call('connect.cancel', {}).catch(() => undefined) // no person is left to answer
      throw error
    })
    const words = await settle({ context, api, output }, last, asSaid)
    output.answer(words.answer, () => words.lines.map(printable))
    const code = ENDS[last.phase]
    if (code) context.endWith(code)
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
    // The last message is the command's answer, and is printed as such.
    for (const text of view.said.slice(told, isOver ? -1 : undefined)) talk.output.note(text)
    told = view.said.length
    if (isOver) return view
    view = await next(talk, view)
  }
}

async function next(talk: Conversation, view: ConnectionView): Promise<ConnectionView> {
  const { api, signal } = talk
  const { question } = view
  const isTyped = question && !question.device && !question.authorize
  if (!isTyped) return await nextView(api, view, signal)
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
  { api, answers, signal }: Conversation,
  { connection, title }: ConnectionView,
  question: ConnectionQuestion,
  over: AbortSignal,
): Promise<ConnectionView> {
  const value = await answers.next(`${title} ${question.title}`, question.isSecret, over)
  return await api.call('connect.provide', { connection, value }, signal)
}

interface DisconnectOptions {
  readonly keepSecrets?: boolean
  readonly yes?: boolean
}

async function disconnect(
  context: Context,
  command: Command,
  server: string,
  options: DisconnectOptions,
): Promise<void> {
  const keepSecrets = options.keepSecrets === true
  const also = keepSecrets ? '' : ' Its stored credentials are removed too.'
  await confirm(context, `Disconnect "${server}"?${also}`, options.yes === true)
  const done = await withApi(context, command, (api) =>
    api.call('connect.remove', { server, keepSecrets }, context.signal),
  )
  outputOf(context, command).answer(done, () => [
    `Disconnected ${server}.`,
    ...done.removedSecrets.map((name) => `  and its secret ${name}`),
  ])
}
