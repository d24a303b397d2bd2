/**
 * A server's tools as they are now, against the pins: the tools as the owner accepted them. Each tool is pinned by the
 * hash of its definition (`pin-hash.ts`). A tool that changed or came later is quarantined: shown, and not callable
 * until accepted.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { SeenTools, ToolChange } from '../../text/tool-change.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import type { RawTool } from '../session/tool-list.ts'
import { lookAlikes } from '../../text/look-alike.ts'
import { idArguments, learnFields } from '../tools/learn-fields.ts'
import { hashOf, pinHash } from './pin-hash.ts'
import { carryMarks, type Marks, type NewMarks, type ToolMark, withMarks } from './tool-marks.ts'

/** Tool name to the hash under which it was pinned. */
export type Pins = ReadonlyMap<string, string>

export interface ManifestTool extends ToolDescription {
  readonly raw: RawTool
  /** An earlier tool with a confusable name. */
  readonly lookAlike?: string
  /** Hash of the accepted set of tools; the same for all tools of a server. */
  readonly setHash: string
  /** The owner's mark, if it was given for this definition in this set. */
  readonly mark?: ToolMark
  readonly isHeld: boolean
  /** Fields of its answers that hold ids which the server takes back, by its schemas. */
  readonly learned: readonly string[]
}

export interface Manifest {
  readonly tools: ReadonlyMap<string, ManifestTool>
  readonly pins: Pins
  /** The pinned definitions of tools that have changed or are gone, to show the difference. */
  readonly replaced: ReadonlyMap<string, RawTool>
  readonly marks: Marks
  /** The pins that the owner's quarantine took away, to tell a held tool from a changed one. */
  readonly held: Pins
  /** Present hash of a definition to the hash of an earlier form under which it was pinned, marked and allowed. */
  readonly aliases: ReadonlyMap<string, string>
  /** Hash over all tools, whatever their order. */
  readonly hash: string
}

/** The difference between the last tool list and the pins. */
export interface ManifestDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

type Seen = Pick<Manifest, 'tools' | 'pins' | 'replaced'> &
  Partial<Pick<Manifest, 'marks' | 'held' | 'aliases'>>

/** For a server that was seen before but has no pins left: every tool counts as new. */
export const NOTHING_SEEN: Seen = { tools: new Map(), pins: new Map(), replaced: new Map() }

/**
 * Without `before` the server is seen for the first time and every tool is pinned as it is (trust on first use),
 * except a look-alike of another tool, which the owner has to accept.
 */
export function readManifest(raw: readonly RawTool[], before: Seen | undefined): Manifest {
  const { marks = new Map(), held = new Map(), aliases = new Map<string, string>() } = before ?? {}
  const hashes = new Map(raw.map((tool) => [tool.name, pinHash(tool, aliases)]))
  const alike = lookAlikesAmong(hashes, before?.pins)
  const pins = before?.pins ?? new Map([...hashes].filter(([name]) => !alike.has(name)))
  const setHash = setHashOf(hashes, pins)
  const described = raw.map((tool) => {
    const hash = hashes.get(tool.name) ?? ''
    return describeTool(withFirstTitle(tool, titled(before, tool.name, hash)), hash, pins)
  })
  const ids = idArguments(described.filter(({ quarantined }) => !quarantined))
  const tools = described.map((tool): [string, ManifestTool] => {
    const { name, hash, quarantined } = tool
    const lookAlike = alike.get(name)
    const mark = marks.get(name)
    const whole = {
      ...tool,
      setHash,
      learned: learnFields(tool, ids),
      isHeld: quarantined && held.get(name) === hash,
      ...(lookAlike !== undefined && { lookAlike }),
      ...(mark?.hash === hash && mark.setHash === setHash && { mark }),
    }
    return [name, whole]
  })
  const hash = hashOf(Object.fromEntries(hashes))
  const replaced = replacedBy(hashes, before)
  return { tools: new Map(tools), pins, replaced, hash, marks, held, aliases }
}

/**
 * Hash to which permissions are bound besides the tool itself: the pins of the server, and the pinned tools that have
 * changed. A new tool that is not accepted, or a tool that is gone, leaves the hash as it is: neither adds a tool that
 * can be called. A changed tool alters the hash, accepted or not.
 */
function setHashOf(now: Pins, pins: Pins): string {
  const broken = [...pins].flatMap(([name, pin]) => ((now.get(name) ?? pin) === pin ? [] : [name]))
  return hashOf([Object.fromEntries(pins), broken.sort()])
}

/** The definition with this hash as it was first seen; undefined if it is new. */
function titled(
  { tools, replaced, aliases = new Map<string, string>() }: Seen = NOTHING_SEEN,
  name: string,
  hash: string,
): RawTool | undefined {
  const last = tools.get(name)
  if (last?.hash === hash) return last.raw
  const pinned = replaced.get(name)
  return pinned && pinHash(pinned, aliases) === hash ? pinned : undefined
}

/** The hash leaves the title out, so a later one is not taken: other programs are shown that of the accepted definition. */
function withFirstTitle(tool: RawTool, first: RawTool | undefined): RawTool {
  if (!first || first['title'] === tool['title']) return tool
  const { title: _later, ...rest } = tool
  return first['title'] === undefined ? rest : { ...rest, title: first['title'] }
}

/** Accepted tools come first, so a look-alike is always the tool that is not accepted. */
function lookAlikesAmong(hashes: Pins, pins: Pins | undefined): ReadonlyMap<string, string> {
  const [accepted, others] = [new Array<string>(), new Array<string>()]
  for (const [name, hash] of hashes) (pins?.get(name) === hash ? accepted : others).push(name)
  return lookAlikes([...accepted, ...others])
}

function replacedBy(now: Pins, before: Seen = NOTHING_SEEN): Manifest['replaced'] {
  const { tools, pins, held = new Map<string, string>() } = before
  const replaced = [...new Map([...held, ...pins])].flatMap(([name, pin]): [string, RawTool][] => {
    const known = tools.get(name)?.hash === pin ? tools.get(name)?.raw : before.replaced.get(name)
    return now.get(name) === pin || !known ? [] : [[name, known]]
  })
  return new Map(replaced)
}

/** Every tool that is new, changed or gone since it was pinned, with its pinned definition. */
export function changesIn({ tools, pins, replaced }: Manifest): readonly ToolChange[] {
  const waiting = [...tools.values()].filter(({ quarantined }) => quarantined)
  const gone = [...pins].filter(([name]) => !tools.has(name))
  const before = (name: string): Pick<ToolChange, 'before'> => {
    const pinned = replaced.get(name)
    return pinned ? { before: pinned } : {}
  }
  return [
    ...waiting.map(({ name, raw, hash, isHeld }) => {
      return isHeld
        ? { name, before: raw, now: raw, hash, isHeld }
        : { name, ...before(name), now: raw, hash }
    }),
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

/** Pins the tools whose hashes the owner was shown. Throws if a tool has changed since (TOCTOU). */
export function acceptTools(manifest: Manifest, seen: SeenTools): Manifest {
  const pins = new Map(manifest.pins)
  for (const [name, hash] of Object.entries(seen)) {
    const tool = manifest.tools.get(name)
    if ((tool?.hash ?? pins.get(name)) !== hash) throw notAsSeen(name)
    if (tool) pins.set(name, hash)
    else pins.delete(name)
  }
  const raw = [...manifest.tools.values()].map((tool) => tool.raw)
  const held = new Map([...manifest.held].filter(([name]) => !Object.hasOwn(seen, name)))
  const accepted = readManifest(raw, { ...manifest, pins, held })
  // While a pinned tool is still another one, the server is not as the owner saw it, and no mark holds.
  const isBroken = [...accepted.tools.values()].some(
    (tool) => tool.quarantined && pins.has(tool.name),
  )
  if (isBroken) return accepted
  return readManifest(raw, { ...accepted, marks: carryMarks(accepted.marks, accepted.tools) })
}

/** Drops all pins and marks: every tool of the server, now or later, has to be accepted and marked anew. */
export function quarantineAll({ tools, pins, held, replaced, aliases }: Manifest): Manifest {
  return readManifest(
    [...tools.values()].map(({ raw }) => raw),
    { tools, pins: new Map(), replaced, held: new Map([...held, ...pins]), aliases },
  )
}

/** Gives or takes marks, for the tools as they are now. */
export function markTools(manifest: Manifest, news: NewMarks, program: string): Manifest {
  const marks = withMarks(manifest.marks, news, manifest.tools, program)
  return readManifest(
    [...manifest.tools.values()].map(({ raw }) => raw),
    { ...manifest, marks },
  )
}

function notAsSeen(name: string): CordonError {
  return new CordonError(
    'servers.not-as-seen',
    { exit: 3, hint: 'Run `cordon mcp accept SERVER` to look at it as it is now' },
    `Cannot accept tool ${JSON.stringify(name)}: it is not what was looked at`,
  )
}

function describeTool(
  raw: RawTool,
  hash: string,
  pins: Pins,
): Omit<ManifestTool, 'setHash' | 'isHeld' | 'learned'> {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = raw
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: objectOr(inputSchema, { type: 'object' }),
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
    ...(isJsonObject(_meta) && { meta: _meta }),
    hash,
    quarantined: pins.get(name) !== hash,
    raw,
  }
}

function objectOr(value: Json | undefined, otherwise: JsonObject): JsonObject {
  return isJsonObject(value) ? value : otherwise
}
