/**
 * The definition's entry for one tool. `[tools."*"]` switches off every tool whose entry does not switch it on.
 * `Object.hasOwn`, since a tool may be named like an inherited member: `toString`.
 */
import type { ServerDefinition, ToolOverride } from '../../kernel/server-definition.ts'

const ANY = '*'

export function overrideOf(
  { tools }: Pick<ServerDefinition, 'tools'>,
  name: string,
): ToolOverride | undefined {
  const own = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (own?.enabled !== undefined || tools[ANY]?.enabled !== false) return own
  return { ...own, enabled: false }
}
