/** `connect` and `disconnect`: a connection in a terminal. Secrets are typed hidden and sent to the kernel only. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { nextView } from '../../api/long-poll.ts'
import { printable } from '../../text/untrusted-text.ts'
import type {
  ConnectionPhase,
  ConnectionQuestion,
  ConnectionView,
} from '../../kernel/setup-port.ts'
import { type Answers, confirm, createAnswers } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import type { Output } from '../output.ts'

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
    .action(async (words: string[], _options: object, command: Command) => {
      await converse(context, command, words.join(' '))
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

interface Conversation {
  readonly api: Api
  readonly output: Output
  readonly answers: Answers
  readonly signal: AbortSignal
}

async function converse(context: Context, command: Command, name: string): Promise<void> {
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
    output.answer(last, () => [printable(last.said.at(-1) ?? '')])
    const code = ENDS[last.phase]
    if (code) context.endWith(code)
  })
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
