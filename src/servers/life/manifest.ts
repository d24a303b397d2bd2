/**
 * What a server's tools are, and what they were when the owner first saw them. Each definition is pinned by the hash of
 * its canonical JSON. A tool that changed or came later is quarantined: shown, and not callable until it is accepted.
 */
import { createHash } from 'node:crypto'
import { CordonError } from '../../kernel/error.ts'
import { canonicalJson, type Json, type JsonObject } from '../../text/json.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { SeenTools, ToolChange } from '../../kernel/tool-change.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import type { RawTool } from '../session/tool-list.ts'
import { lookAlikes } from '../../text/look-alike.ts'

/** Tool name to the hash under which it was pinned. */
export type Pins = ReadonlyMap<string, string>

export interface ManifestTool extends ToolDescription {
  readonly raw: RawTool
  /** An earlier tool whose name this one can be taken for. */
  readonly lookAlike?: string
  /** Of the set it is part of; the same for all tools of its server. */
  readonly setHash: string
}

export interface Manifest {
  readonly tools: ReadonlyMap<string, ManifestTool>
  readonly pins: Pins
  /** What was pinned of tools that are another or gone now, for whoever wants to see what changed. */
  readonly replaced: ReadonlyMap<string, RawTool>
  /** Over all tools, whatever their order. */
  readonly hash: string
}

/** What the last list brought, against the pins. */
export interface ManifestDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

type Seen = Pick<Manifest, 'tools' | 'pins' | 'replaced'>

/** Somebody was there before and nothing is left of what they saw, so everything is new. */
export const NOTHING_SEEN: Seen = { tools: new Map(), pins: new Map(), replaced: new Map() }

/**
 * Without `before` this is the first sight of the server, and everything is pinned as it is, except what can be taken
 * for something else: that has to be looked at.
 */
export function readManifest(raw: readonly RawTool[], before: Seen | undefined): Manifest {
  const hashes = new Map(raw.map((tool) => [tool.name, hashOf(tool)]))
  const alike = lookAlikesAmong(hashes, before?.pins)
  const pins = before?.pins ?? new Map([...hashes].filter(([name]) => !alike.has(name)))
  const setHash = setHashOf(hashes, pins)
  const tools = raw.map((tool): [string, ManifestTool] => {
    const hash = hashes.get(tool.name) ?? ''
    const described = { ...describeTool(tool, hash, pins.get(tool.name) !== hash), setHash }
    const lookAlike = alike.get(tool.name)
    return [tool.name, lookAlike === undefined ? described : { ...described, lookAlike }]
  })
  const hash = hashOf(Object.fromEntries(hashes))
  return { tools: new Map(tools), pins, replaced: replacedBy(hashes, before), hash }
}

/**
 * What permissions hold for besides a tool itself: all that its owner accepted of the server, and whether the server
 * still keeps to it. A tool that is offered and not accepted changes nothing that can be called, and one that is gone
 * takes something away; neither is another set. A tool that became another one is, accepted or not.
 */
function setHashOf(now: Pins, pins: Pins): string {
  const broken = [...pins].flatMap(([name, pin]) => ((now.get(name) ?? pin) === pin ? [] : [name]))
  return hashOf([Object.fromEntries(pins), broken.sort()])
}

/** What the owner accepted was there first. */
function lookAlikesAmong(hashes: Pins, pins: Pins | undefined): ReadonlyMap<string, string> {
  const [accepted, others] = [new Array<string>(), new Array<string>()]
  for (const [name, hash] of hashes) (pins?.get(name) === hash ? accepted : others).push(name)
  return lookAlikes([...accepted, ...others])
}

function replacedBy(now: Pins, before: Seen = NOTHING_SEEN): Manifest['replaced'] {
  const { tools, pins } = before
  const replaced = [...pins].flatMap(([name, pin]): [string, RawTool][] => {
    const known = tools.get(name)?.hash === pin ? tools.get(name)?.raw : before.replaced.get(name)
    return now.get(name) === pin || !known ? [] : [[name, known]]
  })
  return new Map(replaced)
}

/** Every tool that is not as it was pinned, with what it was. */
export function changesIn({ tools, pins, replaced }: Manifest): readonly ToolChange[] {
  const waiting = [...tools.values()].filter(({ quarantined }) => quarantined)
  const gone = [...pins].filter(([name]) => !tools.has(name))
  const before = (name: string): Pick<ToolChange, 'before'> => {
    const pinned = replaced.get(name)
    return pinned ? { before: pinned } : {}
  }
  return [
    ...waiting.map(({ name, raw, hash }) => ({ name, ...before(name), now: raw, hash })),
    ...gone.map(([name, hash]) => ({ name, ...before(name), hash })),
  ]
}

export function diffManifest({ tools, pins }: Manifest): ManifestDiff {
  const now = [...tools.values()]
  return {
    added: now.filter(({ name }) => !pins.has(name)).map(({ name }) => name),
    changed: now.filter((tool) => tool.quarantined && pins.has(tool.name)).map(({ name }) => name),
    removed: [...pins.keys()].filter((name) => !tools.has(name)),
  }
}

/** The owner has looked, and these are the hashes of what they saw. Throws where one is something else by now. */
export function acceptTools(manifest: Manifest, seen: SeenTools): Manifest {
  const pins = new Map(manifest.pins)
  for (const [name, hash] of Object.entries(seen)) {
    const tool = manifest.tools.get(name)
    if ((tool?.hash ?? pins.get(name)) !== hash) throw notAsSeen(name)
    if (tool) pins.set(name, hash)
    else pins.delete(name)
  }
  const raw = [...manifest.tools.values()].map((tool) => tool.raw)
  return readManifest(raw, { ...manifest, pins })
}

/** The owner trusts nothing of it any more: whatever it offers, now or later, has to be looked at anew. */
export function quarantineAll(manifest: Manifest): Manifest {
  return readManifest(
    [...manifest.tools.values()].map(({ raw }) => raw),
    NOTHING_SEEN,
  )
}

function notAsSeen(name: string): CordonError {
  return new CordonError(
    'servers.not-as-seen',
    { exit: 3, hint: 'Run `cordon mcp accept SERVER` to look at it as it is now' },
    `Cannot accept tool ${JSON.stringify(name)}: it is not what was looked at`,
  )
}

export function hashOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

function describeTool(
  raw: RawTool,
  hash: string,
  quarantined: boolean,
): Omit<ManifestTool, 'setHash'> {
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
