/** Types messages into conversations over the kernel's socket, and looks at what comes back. */
import type { TurnEvent } from '../../src/ports/turn-port.ts'
import type { ConversationHouse } from './conversation-house.ts'
import { type Crossing, MARK } from './timed-model.ts'

export interface Turn {
  /** From the message to its answer, without the time that the model and the tool measured themselves. */
  readonly ownMs: number
  readonly isDone: boolean
  readonly crossing: readonly Crossing[]
}

export async function talk(house: ConversationHouse, chat: string, round: number): Promise<Turn> {
  const mark = `${chat}-${round}`
  const began = performance.now()
  const turn = await send(house, chat, `echo the word ${mark}`)
  const { events } = await follow(house, turn)
  const taken = performance.now() - began
  const answer = textOf(events)
  const others = (JSON.stringify(events).match(MARK) ?? []).filter((one) => one !== mark)
  return {
    ownMs: taken - house.model.workedMs(mark) - toolMs(answer),
    isDone: answer.includes(mark),
    crossing: others.map((one) => ({ chat, what: `${one} in the answer to ${mark}` })),
  }
}

/**
 * A call that asks, in every conversation at once; then each answers in its own, every other one with no. Returns the
 * conversations in which not exactly that was done.
 */
export async function answerApart(
  house: ConversationHouse,
  chats: readonly string[],
): Promise<readonly Crossing[]> {
  const asking = await Promise.all(
    chats.map(async (chat, at) => {
      const turn = await send(house, chat, `add ${FIRST + at} for ${chat}-${ROUND}`)
      return { chat, at, turn, ...(await follow(house, turn)) }
    }),
  )
  const ended = asking.map(async ({ chat, at, turn, seen, isOver }): Promise<Crossing[]> => {
    if (isOver) return [{ chat, what: 'a question was not put' }]
    const saysYes = at % 2 === 0
    const answered = await send(house, chat, saysYes ? 'y' : 'n')
    if (answered !== turn) return [{ chat, what: 'the answer was not taken for one' }]
    const text = textOf((await follow(house, turn, seen)).events)
    const total = Number(/"total":(\d+)/.exec(text)?.[1] ?? 0)
    const wanted = saysYes ? FIRST + at : 0
    return total === wanted ? [] : [{ chat, what: `the total is ${total}, not ${wanted}` }]
  })
  return (await Promise.all(ended)).flat()
}

const FIRST = 10
const ROUND = 999

async function send({ api }: ConversationHouse, chat: string, text: string): Promise<string> {
  const { turn } = await api.call('chat.send', { text, isTyped: true, chat })
  if (turn === undefined) throw new Error(`No turn took ${JSON.stringify(text)}`)
  return turn
}

interface Followed {
  readonly events: readonly TurnEvent[]
  readonly seen: number
  readonly isOver: boolean
}

/** Until the turn is over, or asks. */
async function follow({ api }: ConversationHouse, turn: string, after = 0): Promise<Followed> {
  const all: TurnEvent[] = []
  for (let seen = after; ; ) {
    const { events, isOver } = await api.call('chat.follow', { turn, after: seen })
    all.push(...events)
    seen = events.at(-1)?.number ?? seen
    const asks = events.some(({ kind }) => kind === 'approval')
    if (isOver || asks) return { events: all, seen, isOver }
  }
}

/** The server says it with its result, which the model repeats. */
function toolMs(answer: string): number {
  return Number(/ in (\d+\.\d+) ms/.exec(answer)?.[1] ?? 0)
}

function textOf(events: readonly TurnEvent[]): string {
  return events.flatMap((event) => (event.kind === 'answer' ? [event.text] : [])).join('\n')
}
