/**
 * Twenty conversations of one owner at the same time, each a chat of its own, with the kernel as it is published: a model
 * server on loopback that takes 200 ms for an answer, and a sandboxed server. Twenty people converse: each reads the
 * answer for up to 400 ms and then types the next message; a second round leaves out the reading, so that every answer is
 * followed by a message at once. Looks for words of one conversation in prompts and answers of another, and measures what
 * Cordon adds to a turn beside the time that the model and the tool measured themselves.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type BenchReport, type Figure, quantile } from './report.ts'
import { answerApart, talk, type Turn } from './conversations/talk.ts'
import {
  type ConversationHouse,
  openConversationHouse,
} from './conversations/conversation-house.ts'
import type { Crossing } from './conversations/timed-model.ts'

const CONVERSATIONS = 20
const WARM_UP = 10
const ROUNDS = 15
/** As long as a person needs at least to press a key: no two conversations run in step. */
const MOST_PAUSE_MS = 400

export async function run(): Promise<BenchReport> {
  await using house = await openConversationHouse()
  const chats = Array.from({ length: CONVERSATIONS }, (_, at) => `chat${at}`)
  await converse(house, chats, { from: 0, count: WARM_UP, mostPauseMs: MOST_PAUSE_MS })
  const alone = await converse(house, ['alone'], { from: 0, count: ROUNDS, mostPauseMs: 0 })
  const measured = { from: WARM_UP, count: ROUNDS, mostPauseMs: MOST_PAUSE_MS }
  const reading = await converse(house, chats, measured)
  const atOnce = { from: WARM_UP + ROUNDS, count: ROUNDS, mostPauseMs: 0 }
  const pressing = await converse(house, chats, atOnce)
  const mixedUp = await answerApart(house, chats)
  const turns = [...alone.turns, ...reading.turns, ...pressing.turns]
  const crossings = [...house.model.crossings, ...turns.flatMap(({ crossing }) => crossing)]
  for (const crossing of [...crossings, ...mixedUp]) process.stdout.write(`  ${said(crossing)}\n`)
  return reportOf({
    alone,
    reading,
    pressing,
    crossings: crossings.length,
    mixedUp: mixedUp.length,
  })
}

interface Rounds {
  readonly from: number
  readonly count: number
  /** Between an answer and the next message. */
  readonly mostPauseMs: number
}

interface Conversed {
  readonly turns: readonly Turn[]
  /** The kernel's processor time for one of them. */
  readonly processorMs: number
  /** How long the kernel's event loop was ready to run during one of them while other programs had the processors. */
  readonly queuedMs: number
}

async function converse(
  house: ConversationHouse,
  chats: readonly string[],
  { from, count, mostPauseMs }: Rounds,
): Promise<Conversed> {
  const before = clocksOf(house.pid)
  const all = chats.map(async (chat) => {
    const turns: Turn[] = []
    for (let round = from; round < from + count; round += 1) {
      await delay(Math.random() * mostPauseMs)
      turns.push(await talk(house, chat, round))
    }
    return turns
  })
  const turns = (await Promise.all(all)).flat()
  const after = clocksOf(house.pid)
  return {
    turns,
    processorMs: (after.processorMs - before.processorMs) / turns.length,
    queuedMs: (after.queuedMs - before.queuedMs) / turns.length,
  }
}

function said({ chat, what }: Crossing): string {
  return `${chat}: ${what}`
}

/** Of a process: clock ticks are 10 ms on Linux, the queue of the main thread is told in nanoseconds. */
function clocksOf(pid: number): { readonly processorMs: number; readonly queuedMs: number } {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  const [, queuedNs = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
  return {
    processorMs: (Number(fields[11]) + Number(fields[12])) * 10,
    queuedMs: Number(queuedNs) / 1e6,
  }
}

interface Found {
  readonly alone: Conversed
  readonly reading: Conversed
  readonly pressing: Conversed
  readonly crossings: number
  readonly mixedUp: number
}

function reportOf({ alone, reading, pressing, crossings, mixedUp }: Found): BenchReport {
  const none = (name: string, value: number, unit: string) =>
    ({ name, value, unit, limit: 0, kind: 'most' }) as const
  const turns = [...alone.turns, ...reading.turns, ...pressing.turns]
  return {
    figures: [
      { name: 'turns', value: turns.length, unit: 'turns' },
      ...figuresOf('alone', alone),
      ...figuresOf(`${CONVERSATIONS} at once, no pause`, pressing),
      ...figuresOf(`${CONVERSATIONS} at once`, reading),
      {
        name: 'load average per core',
        value: (loadavg()[0] ?? 0) / availableParallelism(),
        unit: '',
      },
    ],
    bars: [
      none('words of one conversation in another', crossings, 'places'),
      none('answers to the question of another conversation', mixedUp, 'answers'),
      none('turns that were not answered', turns.filter(({ isDone }) => !isDone).length, 'turns'),
      {
        name: `added to a turn, ${CONVERSATIONS} at once, p95`,
        value: quantile(ownOf(reading), 0.95),
        unit: 'ms',
        limit: 30,
        kind: 'most',
      },
    ],
  }
}

function figuresOf(name: string, conversed: Conversed): readonly Figure[] {
  const own = ownOf(conversed)
  const figures = {
    'added to a turn, p50': quantile(own, 0.5),
    'added to a turn, p95': quantile(own, 0.95),
    "kernel's processor time for a turn": conversed.processorMs,
    "kernel's wait for a processor in a turn": conversed.queuedMs,
  }
  return Object.entries(figures).map(([what, value]) => ({
    name: `${name}: ${what}`,
    value,
    unit: 'ms',
  }))
}

function ownOf({ turns }: Conversed): readonly number[] {
  return turns.map(({ ownMs }) => ownMs)
}
