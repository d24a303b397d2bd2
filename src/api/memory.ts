/**
 * Routes about memory. The page may read and change all of it: a chat message from the page does the same already
 * (`remember that …`, `/memory forget 3`), and no fact can start a program or hold a secret. The page cannot say that a
 * fact came by another channel.
 */
import { z } from 'zod'
import type {
  Fact,
  FactSource,
  ForgottenCounts,
  KeptResult,
  Memory,
  NewFact,
  Turn,
} from '../ports/memory-port.ts'
import type { Redactor } from '../kernel/ports.ts'
import { showTool } from '../kernel/tool-id.ts'
import { isTrusted, type Label, OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { deliver, OWNER_SINK } from '../labels/sink.ts'
import { nothing } from './fields.ts'
import type { Listening, Nothing, Routes } from './route.ts'
import { showMemory } from './show-memory.ts'

export interface FactView {
  readonly number: number
  readonly text: string
  readonly subject?: string
  /** Others wrote it: it decides nothing unasked. */
  readonly isOthers: boolean
  /** The servers that had a part in it. */
  readonly from: readonly string[]
  readonly channel: string
  /** The message in which it was asked to be kept. */
  readonly message: string
  readonly tool?: string
  readonly keptAt: string
  readonly usedAt?: string
}

export interface TurnView {
  readonly number: number
  readonly at: string
  readonly channel: string
  readonly said: string
  readonly answered: string
  readonly from: readonly string[]
}

export interface ResultView extends Pick<KeptResult, 'name' | 'type' | 'count'> {
  readonly tool: string
  readonly at: string
}

export interface KeptFactView {
  readonly fact: FactView
  readonly replaced?: FactView
}

export interface MemoryContract {
  'memory.list': {
    surface: 'any'
    input: Nothing
    output: { readonly facts: readonly FactView[]; readonly results: readonly ResultView[] }
  }
  /** Facts that share words, the best first; turns that hold all of the words, the newest first. */
  'memory.search': {
    surface: 'any'
    input: { readonly words: string }
    output: { readonly facts: readonly FactView[]; readonly turns: readonly TurnView[] }
  }
  /** The last turns, oldest first. */
  'memory.history': {
    surface: 'any'
    input: { readonly limit?: number }
    output: { readonly turns: readonly TurnView[] }
  }
  'memory.export': { surface: 'any'; input: Nothing; output: { readonly text: string } }
  /** The text that every prompt to a model begins with. */
  'memory.state': { surface: 'any'; input: Nothing; output: { readonly text: string } }
  'memory.remember': { surface: 'any'; input: Told; output: KeptFactView }
  'memory.edit': {
    surface: 'any'
    input: Told & { readonly number: number }
    output: KeptFactView
  }
  /** Facts and turns by number, or all that came `from` a server, a day or a channel. `dryRun` only counts. */
  'memory.forget': {
    surface: 'any'
    input: {
      readonly facts?: readonly number[]
      readonly turns?: readonly number[]
      readonly from?: string
      readonly dryRun?: boolean
    }
    output: ForgottenCounts
  }
}

interface Told {
  readonly text: string
  /** The owner pasted it: its words are not the owner's own. */
  readonly isPasted?: boolean
  /** The message and the channel it came by; absent: a command line. */
  readonly message?: string
  readonly channel?: string
}

export interface MemoryDeps {
  readonly memory: Memory
  readonly redactor: Pick<Redactor, 'redact'>
}

const text = z.string().min(1).max(100_000)
const number = z.number().int().min(1)
const numbers = z.array(number).min(1).max(1000).exactOptional()
const told = {
  text,
  isPasted: z.boolean().exactOptional(),
  message: text.exactOptional(),
  channel: z.string().min(1).max(50).exactOptional(),
}
const SEARCHED = 50

export function memoryRoutes(deps: MemoryDeps): Routes<MemoryContract> {
  return { ...readingRoutes(deps), ...changingRoutes(deps) }
}

type Changing = 'memory.remember' | 'memory.edit' | 'memory.forget'

function readingRoutes(deps: MemoryDeps): Routes<Omit<MemoryContract, Changing>> {
  const facts = async (found: Promise<readonly Fact[]>) =>
    (await found).map((fact) => viewFact(deps, fact))
  const turns = async (found: Promise<readonly Turn[]>) =>
    (await found).map((turn) => viewTurn(deps, turn))
  const { memory } = deps
  return {
    'memory.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({
        facts: await facts(memory.facts()),
        results: (await memory.results()).map(viewResult),
      }),
    },
    'memory.search': {
      surface: 'any',
      input: z.strictObject({ words: z.string().min(1).max(500) }),
      handle: async ({ words }) => ({
        facts: await facts(memory.relevantFacts(words, SEARCHED)),
        turns: await turns(memory.searchTurns(words, SEARCHED)),
      }),
    },
    'memory.history': {
      surface: 'any',
      input: z.strictObject({ limit: z.number().int().min(1).max(5000).exactOptional() }),
      handle: async ({ limit = 20 }) => ({ turns: await turns(memory.turns(limit)) }),
    },
    'memory.export': {
      surface: 'any',
      input: nothing,
      async handle() {
        const kept = { facts: await facts(memory.facts()), turns: await turns(memory.turns(5000)) }
        return { text: showMemory({ ...kept, results: (await memory.results()).map(viewResult) }) }
      },
    },
    'memory.state': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ text: await memory.state() }),
    },
  }
}

function changingRoutes(deps: MemoryDeps): Routes<Pick<MemoryContract, Changing>> {
  const { memory } = deps
  const view = ({ fact, replaced }: { fact: Fact; replaced?: Fact }): KeptFactView => ({
    fact: viewFact(deps, fact),
    ...(replaced && { replaced: viewFact(deps, replaced) }),
  })
  return {
    'memory.remember': {
      surface: 'any',
      input: z.strictObject(told),
      handle: async (input, _signal, from) => view(await memory.remember(newFact(input, from))),
    },
    'memory.edit': {
      surface: 'any',
      input: z.strictObject({ ...told, number }),
      handle: async ({ number: which, ...input }, _signal, from) =>
        view(await memory.edit(which, newFact(input, from))),
    },
    'memory.forget': {
      surface: 'any',
      input: z.strictObject({
        facts: numbers,
        turns: numbers,
        from: z.string().min(1).max(200).exactOptional(),
        dryRun: z.boolean().exactOptional(),
      }),
      handle: async ({ from, dryRun = false, ...which }) =>
        from === undefined ? await memory.forget(which) : await memory.forgetFrom(from, dryRun),
    },
  }
}

/** Pasted words may be anybody's, so they steer nothing unasked. */
const PASTED: Label = { ...OWN_WORDS, integrity: 'external' }

function newFact(
  { text: said, isPasted = false, message = said, channel = 'terminal' }: Told,
  from?: Listening,
): NewFact {
  const source: FactSource =
    from === 'page' ? { channel: 'page', message: said } : { channel, message }
  const label = isPasted ? PASTED : OWN_WORDS
  return { text: new Labelled(said, { label, from: { kind: 'user' } }), source }
}

function viewFact({ redactor }: MemoryDeps, fact: Fact): FactView {
  const { number: which, text: kept, subject, source, keptAt, usedAt } = fact
  const { tool } = source
  return {
    number: which,
    text: redactor.redact(open(kept)),
    ...(subject !== undefined && { subject }),
    isOthers: !isTrusted(kept.label),
    from: [...kept.label.origins],
    channel: source.channel,
    message: redactor.redact(source.message),
    ...(tool && { tool: showTool(tool) }),
    keptAt: new Date(keptAt).toISOString(),
    ...(usedAt !== undefined && { usedAt: new Date(usedAt).toISOString() }),
  }
}

function viewTurn({ redactor }: MemoryDeps, { number: which, at, ...turn }: Turn): TurnView {
  const { channel, said, answer } = turn
  return {
    number: which,
    at: new Date(at).toISOString(),
    channel,
    said: redactor.redact(said),
    answered: redactor.redact(open(answer)),
    from: [...answer.label.origins],
  }
}

function viewResult({ name, type, count, from, at }: KeptResult): ResultView {
  const shape = { name, type, ...(count !== undefined && { count }) }
  return { ...shape, tool: showTool(from), at: new Date(at).toISOString() }
}

function open(value: Labelled): string {
  const opened = deliver(value, OWNER_SINK)
  if (opened.kind === 'withheld') return opened.reason
  return typeof opened.value === 'string' ? opened.value : JSON.stringify(opened.value)
}
