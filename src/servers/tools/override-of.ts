/**
 * The definition's entry for one tool, over what the protocol says of a feature. `[tools."*"]` switches off every tool whose entry does not switch it on.
 * `Object.hasOwn`, since a tool may be named like an inherited member: `toString`.
 */
import type { ServerDefinition, ToolOverride } from '../../kernel/server-definition.ts'
import { featureTool } from '../session/feature-tools.ts'

const ANY = '*'

export function overrideOf(
  { tools }: Pick<ServerDefinition, 'tools'>,
  name: string,
): ToolOverride | undefined {
  const said = Object.hasOwn(tools, name) ? tools[name] : undefined
  const known = featureTool(name)?.override
  const own = known ? { ...known, ...said } : said
  if (own?.enabled !== undefined || tools[ANY]?.enabled !== false) return own
  return { ...own, enabled: false }
}
