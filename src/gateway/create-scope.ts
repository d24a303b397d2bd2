/**
 * The tools that a client's contexts allow: all of a server, or single ones. Without contexts it is every tool; with
 * contexts that are empty or gone it is none.
 */
import { showTool, type ToolId } from '../kernel/tool-id.ts'

export interface Scope {
  /** As a template spells them: `github.*`, `github.search_code`, `*`. */
  readonly patterns: readonly string[]
  /** Equal for scopes that allow the same. */
  readonly key: string
  has(tool: ToolId): boolean
}

const EVERYTHING: Scope = { patterns: ['*'], key: '*', has: () => true }

/** `members` as contexts have them; undefined: no context limits the client. */
export function createScope(members: readonly string[] | undefined): Scope {
  if (!members) return EVERYTHING
  const known = new Set(members)
  const patterns = [...known].map((one) => (one.includes('.') ? one : `${one}.*`)).toSorted()
  return {
    patterns,
    key: patterns.join('\n'),
    has: (tool) => known.has(tool.server) || known.has(showTool(tool)),
  }
}
