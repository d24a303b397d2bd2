/**
 * The hash of a tool's definition, as it is pinned: of all that a model reads or a call uses. `_meta`, icons and titles
 * are left out, since some servers write a time or a fresh address there at every start; Cordon shows them to no model of
 * its own, and to other programs only the title that came with the accepted definition.
 * A member that Cordon does not know counts. Pure.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '../../text/json.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import type { RawTool } from '../session/tool-list.ts'

export function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

/** `aliases`: definitions that were accepted under an earlier form of the hash keep that hash. */
export function pinHash(tool: RawTool, aliases: ReadonlyMap<string, string>): string {
  const hash = hashOf(pinnedPart(tool))
  return aliases.get(hash) ?? hash
}

function pinnedPart({ _meta, icons: _icons, title: _title, ...tool }: RawTool): RawTool {
  const { annotations } = tool
  if (!isJsonObject(annotations)) return tool
  const { title: _shown, ...hints } = annotations
  return { ...tool, annotations: hints }
}

/**
 * Until version 2 of the stored pins the hash covered the whole definition. Every definition on disk that has a hash
 * of that form among `accepted` keeps it under the present form, so that pins, marks, grants and saved flows hold. It is
 * computed from the definition anew: a pin whose definition is not there stays as it is, and its tool is quarantined.
 */
export function aliasesOf(
  tools: readonly RawTool[],
  accepted: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const pairs = tools.map((tool) => [hashOf(pinnedPart(tool)), hashOf(tool)] as const)
  return new Map(pairs.filter(([now, whole]) => now !== whole && accepted.has(whole)))
}
