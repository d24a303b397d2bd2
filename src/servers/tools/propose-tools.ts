/**
 * The proposal for all tools of one server, and the marks that an answer to it gives. Takes nothing by itself: a claim
 * becomes a mark only through the owner's answer, and a doubtful claim only if the answer names its tool. Pure.
 */
import type { MarkChange, ProposedTool, ToolProposal } from '../../kernel/tool-proposal.ts'
import type { Semantics, ServerDefinition } from '../../kernel/server-definition.ts'
import { judgeEffect, sayerOf } from '../life/judge-effect.ts'
import type { ManifestTool } from '../life/manifest.ts'
import type { NewMarks } from '../life/tool-marks.ts'
import { claimOf } from './claim-of.ts'

export function proposeTools(
  definition: ServerDefinition,
  listed: readonly ManifestTool[],
  set: string,
): ToolProposal {
  const tools = listed.map((tool): ProposedTool => {
    return {
      name: tool.name,
      ...claimOf(tool),
      effect: judgeEffect(definition, tool).effect,
      by: sayerOf(definition, tool),
      isWaiting: tool.quarantined,
    }
  })
  const summary = summarise(tools.filter(isOpen))
  return { server: definition.id, set, ...(summary !== undefined && { summary }), tools }
}

/** The marks that the answer gives; undefined takes one away. Unknown names are kept, for the caller to refuse. */
export function marksFor({ tools }: ToolProposal, change: MarkChange): NewMarks {
  if (change.kind === 'effect') return new Map(change.tools.map((name) => [name, change.effect]))
  if (change.kind === 'clear') {
    const marked = tools.filter(({ by }) => by === 'mark').map(({ name }) => name)
    return new Map((change.tools ?? marked).map((name) => [name, undefined]))
  }
  const said = new Map<string, Semantics>(tools.map(({ name, says }) => [name, says]))
  const plain = tools.filter((tool) => isOpen(tool) && tool.doubt === undefined)
  const names = change.tools ?? plain.map(({ name }) => name)
  return new Map(names.map((name) => [name, said.get(name) ?? 'destructive']))
}

/** An unmarked tool that could be called. */
function isOpen({ by, isWaiting }: ProposedTool): boolean {
  return by === 'unsaid' && !isWaiting
}

const CLAIMS: Readonly<Record<Semantics, readonly [string, string]>> = {
  read: ['says it only reads', 'say they only read'],
  write: ['changes things', 'change things'],
  destructive: ['cannot be undone', 'cannot be undone'],
  exec: ['runs commands', 'run commands'],
}

function summarise(open: readonly ProposedTool[]): string | undefined {
  if (open.length === 0) return undefined
  const plain = open.filter(({ doubt }) => doubt === undefined)
  const parts = Object.entries(CLAIMS).flatMap(([says, [one, several]]) => {
    const count = plain.filter((tool) => tool.says === says).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`]
  })
  const doubtful = open.length - plain.length
  const rest = doubtful === 0 ? [] : [`${doubtful} ${doubtful === 1 ? 'is' : 'are'} doubtful`]
  const whole = open.length === 1 ? '1 tool' : `${open.length} tools`
  return `Nobody vouches for ${whole}: ${[...parts, ...rest].join(', ')}`
}
