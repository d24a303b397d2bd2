/**
 * What a server's tools are, and what they were when the owner first saw them. Each definition is pinned by the hash of
 * its canonical JSON. A tool that changed or came later is quarantined: shown, and not callable until it is accepted.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../../kernel/json.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import type { RawTool } from '../session/tool-list.ts'

/** Tool name to the hash under which it was pinned. */
export type Pins = ReadonlyMap<string, string>

export interface ManifestTool extends ToolDescription {
  readonly raw: RawTool
}

export interface Manifest {
  readonly tools: ReadonlyMap<string, ManifestTool>
  readonly pins: Pins
  /** Over all tools, whatever their order. */
  readonly hash: string
}

/** What the last list brought, against the pins. */
export interface ManifestDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/** Without pins this is the first sight of the server, and everything is pinned as it is. */
export function readManifest(raw: readonly RawTool[], pins: Pins | undefined): Manifest {
  const hashes = new Map(raw.map((tool) => [tool.name, hashOf(tool)]))
  const pinned = pins ?? hashes
  const tools = raw.map((tool): [string, ManifestTool] => {
    const hash = hashes.get(tool.name) ?? ''
    return [tool.name, describeTool(tool, hash, pinned.get(tool.name) !== hash)]
  })
  return { tools: new Map(tools), pins: pinned, hash: hashOf(Object.fromEntries(hashes)) }
}

export function diffManifest({ tools, pins }: Manifest): ManifestDiff {
  const now = [...tools.values()]
  return {
    added: now.filter(({ name }) => !pins.has(name)).map(({ name }) => name),
    changed: now.filter((tool) => tool.quarantined && pins.has(tool.name)).map(({ name }) => name),
    removed: [...pins.keys()].filter((name) => !tools.has(name)),
  }
}

/** The owner has looked: these tools, or all of them, are pinned as they are now. */
export function acceptTools(manifest: Manifest, names: readonly string[] | undefined): Manifest {
  const pins = new Map(manifest.pins)
  for (const tool of manifest.tools.values()) {
    if (!names || names.includes(tool.name)) pins.set(tool.name, tool.hash)
  }
  return readManifest(
    [...manifest.tools.values()].map(({ raw }) => raw),
    pins,
  )
}

export function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

function describeTool(raw: RawTool, hash: string, quarantined: boolean): ManifestTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = raw
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: objectOr(inputSchema, { type: 'object' }),
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
    hash,
    quarantined,
    raw,
  }
}

function objectOr(value: Json | undefined, otherwise: JsonObject): JsonObject {
  return isJsonObject(value) ? value : otherwise
}
