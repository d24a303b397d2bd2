/** `ask SENTENCE`: a request in plain words, planned, shown and run. Also `cordon "…"` with words that are no flow. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { pausePoll } from '../../api/long-poll.ts'
import { plainText, TurnLines } from '../../api/show-turn.ts'
import type { TurnEvent } from '../../ports/turn-port.ts'
import { showUsage } from '../../text/token-usage.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import type { Output } from '../output.ts'

type Answer = Extract<TurnEvent, { readonly kind: 'answer' }>

export function addAskCommand(program: Command, context: Context): void {
  program
    .command('ask')
    .argument('<words...>', 'what you want, in plain English')
    .description('ask for something in words: it is planned, shown and run')
    .addHelpText(
      'after',
      `
Without a model, Cordon plans one to three calls of the tools that are connected. A call that needs your yes asks
for it at a terminal, and is refused elsewhere.

Example:
  $ cordon ask list the files in ~/notes
  $ cordon "read notes.txt and remember it"`,
    )
    .action(async (words: string[], _options: object, command: Command) => {
      const output = outputOf(context, command)
      const text = words.join(' ')
      const end = await withApi(context, command, (api) => converse({ context, api, output }, text))
      const { text: said, isQuestion, hasFailed, usage } = end
      const data = { answer: said, isQuestion, hasFailed: hasFailed === true }
      output.answer({ ...data, ...(usage && { usage }) }, () => [said])
      if (usage && !output.json) output.note(showUsage(usage))
      if (isQuestion) context.endWith(2)
      else if (hasFailed) context.endWith(5)
    })
}

interface Talk {
  readonly context: Context
  readonly api: Api
  readonly output: Output
}

/** Until there is an answer, or a question that nobody is there to answer. */
async function converse(talk: Talk, first: string): Promise<Answer> {
  const { context, output } = talk
  const { terminal } = context.surface
  const isTyped = terminal.stdin.isTTY && terminal.stderr.isTTY && !output.json
  const seen = new Map<string, number>()
  for (let text = first; ; ) {
    const end = await say(talk, { text, isTyped }, seen)
    const isAnswer = end.kind === 'answer'
    if (isAnswer && (!end.isQuestion || !isTyped)) return end
    if (isAnswer) output.note(end.text)
    const typed = await terminal.typeLine({ prompt: '› ', isHidden: false }, context.signal)
    if (typed === undefined) return await leave(talk, seen)
    text = typed
  }
}

type End = Answer | Extract<TurnEvent, { readonly kind: 'approval' | 'question' }>

/** `seen`: the last event of each turn; a turn that asked goes on with the answer. */
async function say(
  talk: Talk,
  { text, isTyped }: { readonly text: string; readonly isTyped: boolean },
  seen: Map<string, number>,
): Promise<End> {
  const { api, context } = talk
  const { workingFolder, chatName: chat } = context.surface
  const here = { workingFolder, ...(chat !== undefined && { chat }) }
  const message = { text, ...here, ...(isTyped && { isTyped: true }) }
  const { turn, reply } = await api.call('chat.send', message, context.signal)
  if (turn === undefined) return { kind: 'answer', number: 0, text: reply, isQuestion: false }
  try {
    const end = await follow(talk, turn, seen.get(turn) ?? 0)
    seen.set(turn, end.number)
    return end
  } finally {
    if (context.signal.aborted) await api.call('chat.cancel', { turn }).catch(() => undefined)
  }
}

async function leave({ api }: Talk, seen: ReadonlyMap<string, number>): Promise<Answer> {
  for (const turn of seen.keys()) await api.call('chat.cancel', { turn })
  return { kind: 'answer', number: 0, text: 'Nothing more is done.', isQuestion: false }
}

/** Shows what happens; the answer, or a question about a call. */
async function follow(talk: Talk, turn: string, after: number): Promise<End> {
  const { context, api } = talk
  const lines = new TurnLines()
  for (let seen = after; ; ) {
    const { events } = await api.call('chat.follow', { turn, after: seen }, context.signal)
    const end = events.map((event) => show(talk, event, lines)).find((one) => one !== undefined)
    if (end) return end
    seen = events.at(-1)?.number ?? seen
    if (events.length === 0) await pausePoll(context.signal)
  }
}

/** An answer goes to standard output, once it is whole; everything else is progress. */
function show({ output }: Talk, event: TurnEvent, lines: TurnLines): End | undefined {
  if (event.kind === 'answer') return event
  if (event.kind === 'piece') return undefined
  for (const line of lines.show(event)) output.note(plainText(line))
  return event.kind === 'approval' || event.kind === 'question' ? event : undefined
}
