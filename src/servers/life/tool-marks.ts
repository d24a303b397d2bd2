/**
 * The owner's marks: what each tool of one server does, by their own word. A mark holds for the tool's definition, for
 * the set of accepted tools and for the program it was given for; it lapses when any of them changes, and the tool is
 * asked about as before. Pure.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Semantics } from '../../kernel/server-definition.ts'
import { SEMANTICS } from '../../kernel/server-definition.ts'
import type { Json } from '../../text/json.ts'
import { seenLine } from '../../text/untrusted-text.ts'

export interface ToolMark {
  readonly semantics: Semantics
  /** Hashes of the tool's definition, of the accepted tools, and of the program. */
  readonly hash: string
  readonly setHash: string
  readonly program: string
}

export type Marks = ReadonlyMap<string, ToolMark>

/** New marks by name; undefined takes the mark of that tool away. */
export type NewMarks = ReadonlyMap<string, Semantics | undefined>

interface MarkableTool {
  readonly hash: string
  readonly setHash: string
  readonly quarantined: boolean
}

/** Throws if a tool is not there, or waits to be accepted. */
export function withMarks(
  marks: Marks,
  news: NewMarks,
  tools: ReadonlyMap<string, MarkableTool>,
  program: string,
): Marks {
  const result = new Map(marks)
  for (const [name, semantics] of news) {
    const tool = tools.get(name)
    if (result.delete(name) && semantics === undefined) continue
    if (!tool) throw cannotMark(name, 'there is no such tool')
    if (semantics === undefined) continue
    if (tool.quarantined) throw cannotMark(name, 'it waits to be accepted')
    result.set(name, { semantics, hash: tool.hash, setHash: tool.setHash, program })
  }
  return result
}

/** After the owner accepted changes: marks of tools that stayed as they were hold for the new set as well. */
export function carryMarks(marks: Marks, tools: ReadonlyMap<string, MarkableTool>): Marks {
  const kept = [...marks].flatMap(([name, mark]): [string, ToolMark][] => {
    const tool = tools.get(name)
    return tool?.hash === mark.hash ? [[name, { ...mark, setHash: tool.setHash }]] : []
  })
  return new Map(kept)
}

const MOST_NAMED = 50
const LONGEST_NAME = 64

/** For the audit record: how many tools of each effect, and the first names. */
export function describeMarks(news: NewMarks): Readonly<Record<string, Json>> {
  const said = [...news.values()]
  const counts = SEMANTICS.map((one) => [one, said.filter((other) => other === one).length])
  const names = [...news.keys()].slice(0, MOST_NAMED).map((name) => seenLine(name, LONGEST_NAME))
  const cleared = said.filter((one) => one === undefined).length
  return { ...(Object.fromEntries(counts) as Record<string, number>), cleared, tools: names }
}

function cannotMark(name: string, why: string): CordonError {
  return new CordonError(
    'servers.cannot-mark',
    { exit: 2, hint: 'Run `cordon tools mark SERVER --list` to see its tools' },
    `Cannot mark tool ${JSON.stringify(seenLine(name, LONGEST_NAME))}: ${why}`,
  )
}

export function otherTools(): CordonError {
  return new CordonError(
    'servers.other-tools',
    { exit: 3, hint: 'Run `cordon tools mark SERVER` to look at them as they are now' },
    'Cannot mark the tools: the list changed since it was shown',
  )
}
