/**
 * Memory of one principal: facts, results and turns, each in its own table. Every read asks the store, so that a change
 * by another process is seen. Forgetting is exact: a row goes if its label, its day or its channel says so.
 */
import type { ForgottenCounts, Memory } from '../ports/memory-port.ts'
import type { CordonError } from '../kernel/error.ts'
import { KeptFacts } from './kept-facts.ts'
import { KeptResults } from './kept-results.ts'
import { KeptTurns, MOST_TURNS } from './kept-turns.ts'
import type { MemoryDeps } from './memory-deps.ts'
import { type Doomed, findDoomed } from './find-doomed.ts'
import { noSuchFact, noSuchTurn } from './memory-errors.ts'
import { parseForgetSource } from './parse-forget-source.ts'

export function createMemory(deps: MemoryDeps, state: () => Promise<string>): Memory {
  const facts = new KeptFacts(deps)
  const turns = new KeptTurns(deps)
  const results = new KeptResults(deps)
  return {
    remember: (fact) => facts.remember(fact),
    facts: () => facts.all(),
    relevantFacts: (words, limit) => facts.relevant(words, limit),
    edit: (number, fact) => facts.edit(number, fact),
    async forget({ facts: wanted = [], turns: old = [] }) {
      const { rows } = deps
      if (wanted.length > 0) requireAll(wanted, await rows.facts(), noSuchFact)
      if (old.length > 0) requireAll(old, await rows.turns(MOST_TURNS), noSuchTurn)
      return await forgetRows(deps, { facts: wanted, turns: old, results: [] })
    },
    async forgetFrom(from, dryRun) {
      const doomed = await findDoomed(deps.rows, parseForgetSource(from, deps.now()))
      return dryRun ? countsOf(doomed) : await forgetRows(deps, doomed)
    },
    addTurn: (turn) => turns.add(turn),
    turns: (limit, conversation) => turns.last(limit, conversation),
    searchTurns: (words, limit) => turns.search(words, limit),
    addResult: (tool, value, conversation) => results.add(tool, value, conversation),
    results: (conversation) => results.list(conversation),
    value: (name) => results.value(name),
    state,
  }
}

function requireAll(
  wanted: readonly number[],
  rows: readonly { readonly number: number }[],
  refuse: (number: number) => CordonError,
): void {
  const known = new Set(rows.map(({ number }) => number))
  const missing = wanted.find((number) => !known.has(number))
  if (missing !== undefined) throw refuse(missing)
}

/** The record says how many rows went, never which. */
async function forgetRows(
  { rows, audit, owner }: MemoryDeps,
  doomed: Doomed,
): Promise<ForgottenCounts> {
  const counts = countsOf(doomed)
  if (Object.values(counts).every((count) => count === 0)) return counts
  const details = { ...counts }
  await audit.appendDurable({ kind: 'memory.forgotten', principal: owner, details })
  if (counts.facts > 0) await rows.removeFacts(doomed.facts)
  if (counts.results > 0) await rows.forgetResults(doomed.results)
  if (counts.turns > 0) await rows.removeTurns(doomed.turns)
  return counts
}

function countsOf({ facts, results, turns }: Doomed): ForgottenCounts {
  return { facts: new Set(facts).size, results: results.length, turns: new Set(turns).size }
}
