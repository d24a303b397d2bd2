/**
 * The turns of a chat: each message is planned, shown, run and answered. A message may also answer the open question of
 * an earlier turn. Never rejects because of a message: an error becomes the answer.
 */
import { randomUUID } from 'node:crypto'
import { CordonError } from '../kernel/error.ts'
import { channelOf, conversationOf, type Message } from '../kernel/receive.ts'
import type { Turns } from '../ports/turn-port.ts'
import type { Labelled } from '../labels/labelled.ts'
import { deliver } from '../labels/sink.ts'
import { firstOrigin } from '../labels/via-origin.ts'
import { extract } from '../text/extract.ts'
import { answerQuestion } from './answer-question.ts'
import type { Turn } from './carry-out.ts'
import { STOPPED } from './run-flow.ts'
import { failed, type Said, type Standing } from './standing.ts'
import { ownText } from './synthesize.ts'
import { takeMessage } from './take-message.ts'
import type { TurnDeps } from './turn-deps.ts'
import { TurnRecord } from './turn-record.ts'

/** The latest turns that can still be followed. */
const MOST_TURNS = 200

/** The conversations whose open question, draft and last plan are known. */
const MOST_CONVERSATIONS = 1000

interface Live {
  readonly record: TurnRecord
  readonly ending: AbortController
}

export interface OwnedTurns extends Turns, Disposable {}

export function openTurns(deps: TurnDeps): OwnedTurns {
  const live = new Map<string, Live>()
  const standings = new Map<string, Standing>()
  const begin = (message: Message, take: (turn: Turn) => Promise<Said>): string => {
    const one = { record: new TurnRecord(randomUUID()), ending: new AbortController() }
    live.set(one.record.id, one)
    const [oldest] = live.keys()
    if (live.size > MOST_TURNS && oldest !== undefined) live.delete(oldest)
    void answer(deps, one, message, take)
    return one.record.id
  }
  return {
    async begin(message) {
      if (message.principal.kind !== 'owner') return undefined
      const standing = standingOf(standings, message)
      const answered = await answerQuestion(deps, message, standing)
      if (answered?.kind === 'goes-on') return answered.turn
      const take = answered?.take ?? ((turn: Turn) => takeMessage(deps, message, standing, turn))
      return begin(message, async (turn) => {
        const said = await take(turn)
        const canBeSaved = standing.worked?.turn === turn.record.id
        return canBeSaved ? { ...said, canBeSaved } : said
      })
    },
    async follow(turn, after, signal) {
      const known = live.get(turn)
      if (!known) throw unknownTurn(turn)
      return await known.record.follow(after, signal)
    },
    async cancel(turn) {
      live.get(turn)?.ending.abort()
    },
    [Symbol.dispose]() {
      for (const { ending } of live.values()) ending.abort()
    },
  }
}

/** Of one conversation: a yes in one chat never answers the question of another. */
function standingOf(standings: Map<string, Standing>, message: Message): Standing {
  const key = JSON.stringify([message.principal.id, conversationOf(message)])
  const standing = standings.get(key) ?? {}
  standings.delete(key) // set anew, so that the first of the map is the one that was silent longest
  standings.set(key, standing)
  const [oldest] = standings.keys()
  if (standings.size > MOST_CONVERSATIONS && oldest !== undefined) standings.delete(oldest)
  return standing
}

/** A server that passed on data of another is not named for it: the first one is. */
function serversIn({ label }: Labelled): readonly string[] {
  return [...new Set([...label.origins].map(firstOrigin))].sort()
}

async function answer(
  deps: TurnDeps,
  { record, ending }: Live,
  message: Message,
  take: (turn: Turn) => Promise<Said>,
): Promise<void> {
  const { signal } = ending
  const said = await take({ record, signal }).catch((error: unknown) =>
    apology(deps, error, signal),
  )
  const delivery = deliver(said.answer, deps.sinkFor(message))
  const text = delivery.kind === 'shown' ? (delivery.value as string) : delivery.reason
  const { isQuestion, hasFailed = false, canBeSaved = false } = said
  const { usage } = record
  const from = delivery.kind === 'shown' ? serversIn(said.answer) : []
  record.tell({
    kind: 'answer',
    text,
    isQuestion,
    ...(hasFailed && { hasFailed }),
    ...(usage && { usage }),
    ...(from.length > 0 && { from }),
    ...(canBeSaved && { canBeSaved }),
  })
  const place = { channel: channelOf(message), conversation: conversationOf(message) }
  const turn = { ...place, said: extract(message.text).words }
  await deps.memory.addTurn({ ...turn, answer: said.answer }).catch((error: unknown) => {
    deps.log.warn('A turn of the chat cannot be kept', { error })
  })
}

function apology({ log }: TurnDeps, error: unknown, signal: AbortSignal): Said {
  const say = (text: string): Said => failed(ownText(text))
  if (signal.aborted) return say(STOPPED)
  if (error instanceof CordonError) return say(`${error.message}. ${error.hint}.`)
  log.error('A turn of the chat failed because of a bug', { error })
  return say('Something broke. In a shell, `cordon doctor` may tell more.')
}

function unknownTurn(turn: string): CordonError {
  return new CordonError(
    'pipeline.no-such-turn',
    { exit: 2, hint: 'Send the message again' },
    `Cannot follow the turn ${JSON.stringify(turn.slice(0, 80))}: it is over and forgotten`,
  )
}
