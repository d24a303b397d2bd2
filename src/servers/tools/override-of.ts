/** What a definition says about one tool. A tool may have any name, also that of something every object has. */
import type { ServerDefinition, ToolOverride } from '../../kernel/server-definition.ts'

export function overrideOf(
  { tools }: Pick<ServerDefinition, 'tools'>,
  name: string,
): ToolOverride | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined
}
