/** Finds the rows that came from a server, a day or a channel: by their labels, times and channels, never by a guess. */
import type { FactSource } from '../ports/memory-port.ts'
import { Labelled } from '../labels/labelled.ts'
import { restoreLabelled, restoreTree } from '../labels/stored-label.ts'
import { isHeldBy } from '../labels/via-origin.ts'
import { MOST_TURNS } from './kept-turns.ts'
import type { FactRow, MemoryDeps, ResultRow, TurnRow } from './memory-deps.ts'
import { type ForgetSource, localDay } from './parse-forget-source.ts'

/** The numbers of the rows that are to be forgotten. */
export interface Doomed {
  readonly facts: readonly number[]
  readonly results: readonly number[]
  readonly turns: readonly number[]
}

/** The facts about a row that decide whether it goes. */
interface Traits {
  readonly origins: Iterable<string>
  readonly at: string
  /** A result belongs to no channel. */
  readonly channel?: string
}

export async function findDoomed(rows: MemoryDeps['rows'], from: ForgetSource): Promise<Doomed> {
  const pick = <R extends { readonly number: number }>(
    all: readonly R[],
    traits: (row: R) => Traits,
  ) => all.filter((row) => cameFrom(traits(row), from)).map(({ number }) => number)
  return {
    facts: pick(await rows.facts(), traitsOfFact),
    results: pick(await rows.results(), traitsOfResult),
    turns: pick(await rows.turns(MOST_TURNS), traitsOfTurn),
  }
}

function cameFrom({ origins, at, channel }: Traits, from: ForgetSource): boolean {
  if (from.kind === 'all') return true
  if (from.kind === 'day') return localDay(Date.parse(at)) === from.day
  if (from.kind === 'channel') return channel === from.channel
  return [...origins].some((origin) => isOf(origin, from.server))
}

/** `mail via notes` came from both. */
function isOf(origin: string, server: string): boolean {
  return origin.split(' via ')[0] === server || isHeldBy(origin, server)
}

function traitsOfFact({ text, labels, source, keptAt }: FactRow): Traits {
  const { channel, tool } = JSON.parse(source) as FactSource
  const { origins } = new Labelled(text, restoreTree(JSON.parse(labels))).label
  return { origins: [...origins, ...(tool ? [tool.server] : [])], at: keptAt, channel }
}

function traitsOfResult({ content, server, at }: ResultRow): Traits {
  const { origins } = restoreLabelled(JSON.parse(content)).label
  return { origins: [...origins, server], at }
}

function traitsOfTurn({ answered, label, at, channel }: TurnRow): Traits {
  const { origins } = new Labelled(answered, restoreTree(JSON.parse(label))).label
  return { origins, at, channel }
}
