/**
 * The last results of tools, under names that a plan can use: `result7`. The content is on disk with all its labels; a
 * planner is given only name, type, count and tool.
 */
import type { KeptResult } from '../ports/memory-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import type { Labelled } from '../labels/labelled.ts'
import { deliver } from '../labels/sink.ts'
import { restoreLabelled, storeTree } from '../labels/stored-label.ts'
import type { Json } from '../text/json.ts'
import { holdsKnownToken } from '../text/looks-secret.ts'
import type { MemoryDeps, ResultShape } from './memory-deps.ts'
import { OWN_STORE } from './own-store.ts'

/** Of one conversation. */
const MOST_RESULTS = 10
const MOST_OF_ALL = 200
/** Beyond `MOST_OF_ALL` this many may lie before they are removed together. */
const MOST_SURPLUS = 20
/** A call on the command line belongs to no conversation. */
const NONE = ''
const MOST_CHARACTERS = 1_000_000

export class KeptResults {
  readonly #deps: MemoryDeps

  constructor(deps: MemoryDeps) {
    this.#deps = deps
  }

  /** A value is kept whole or not at all: a shortened one would be a different result. */
  async add(
    tool: ToolId,
    value: Labelled,
    conversation: string = NONE,
  ): Promise<string | undefined> {
    const { rows, now, redactor } = this.#deps
    const opened = deliver(value, OWN_STORE)
    if (opened.kind === 'withheld') return undefined
    const content = JSON.stringify({ value: opened.value, labels: storeTree(value.tree) })
    if (content.length > MOST_CHARACTERS) return undefined
    if (redactor.isIn(content) || holdsKnownToken(content)) return undefined
    const number = await rows.addResult({
      conversation,
      server: tool.server,
      tool: tool.name,
      ...shapeOf(opened.value),
      content,
      at: new Date(now()).toISOString(),
    })
    if (number > MOST_RESULTS) await rows.pruneConversation(conversation, MOST_RESULTS)
    const isDue = number > MOST_OF_ALL && number % MOST_SURPLUS === 0
    if (isDue) await rows.pruneResults(number - MOST_OF_ALL)
    return nameOf(number)
  }

  /** The newest is the last, and one of the conversation itself if it has any: `it` means that one. */
  async list(conversation?: string): Promise<readonly KeptResult[]> {
    const { rows } = this.#deps
    const own = await rows.resultShapes(MOST_RESULTS, conversation)
    const left = MOST_RESULTS - own.length
    const isAll = conversation === undefined || left === 0
    const others = isAll ? [] : await rows.resultShapes(left, NONE)
    return [...own, ...others].toReversed().map(readResult)
  }

  async value(name: string): Promise<Labelled | undefined> {
    const number = /^result(\d{1,15})$/.exec(name)?.[1]
    const found = number === undefined ? undefined : await this.#deps.rows.result(Number(number))
    return found && restoreLabelled(JSON.parse(found.content))
  }
}

function nameOf(number: number): string {
  return `result${number}`
}

function shapeOf(value: Json): { type: KeptResult['type']; count: number | null } {
  if (Array.isArray(value)) return { type: 'list', count: value.length }
  if (typeof value === 'object' && value !== null) return { type: 'object', count: null }
  return { type: typeof value === 'number' ? 'number' : 'text', count: null }
}

function readResult({ number, server, tool, type, count, at }: ResultShape): KeptResult {
  return {
    name: nameOf(number),
    type: type as KeptResult['type'],
    ...(count !== null && { count }),
    from: { server: server as ServerId, name: tool },
    at: Date.parse(at),
  }
}
