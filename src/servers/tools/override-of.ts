/**
 * The definition's entry for one tool. `Object.hasOwn`, since a tool may be named like an inherited member: `toString`.
 */
import type { ServerDefinition, ToolOverride } from '../../kernel/server-definition.ts'

export function overrideOf(
  { tools }: Pick<ServerDefinition, 'tools'>,
  name: string,
): ToolOverride | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined
}
