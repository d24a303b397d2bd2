/**
 * The effect that a tool claims by its name and its annotations, as the owner takes it over in one screen when a server
 * is connected. Stands for the proposal of `cordon tools mark SERVER --as-said`; undefined where the definition of the
 * tool says nothing, or contradicts itself, so that every use is asked about. Pure.
 */
import type { Semantics } from '../../src/kernel/server-definition.ts'
import type { ToolDescription } from '../../src/kernel/server-state.ts'

const READING = /(?:^|[_-])(?:get|list|search|read|find|query|describe|fetch|count)(?:[_-]|$|[A-Z])/
const CHANGING =
  /(?:^|[_-])(?:create|add|send|post|append|reply|respond|update|edit|fork|push|assign|set|insert|copy)(?:[_-]|$|[A-Z])/
const FINAL = /delete|remove|merge|drop|cancel|revoke|trash|login|execute|run/i

export function saidByTools({
  name,
  annotations = {},
}: Pick<ToolDescription, 'name' | 'annotations'>): Semantics | undefined {
  if (FINAL.test(name) || annotations['destructiveHint'] === true) return 'destructive'
  const reads = READING.test(name)
  const changes = CHANGING.test(name)
  if (reads === changes) return undefined
  if (reads) return annotations['readOnlyHint'] === false ? undefined : 'read'
  return annotations['readOnlyHint'] === true ? undefined : 'write'
}

/** Whether the name of a tool, written `server.tool`, says that it reads and nothing else. */
export function claimsToRead(tool: string): boolean {
  const name = tool.slice(tool.indexOf('.') + 1)
  return READING.test(name) && !CHANGING.test(name) && !FINAL.test(name)
}
