/**
 * Labels the answer of a tool. All of it is external, at the level of its server; only a field of a structured answer
 * that the definition names, such as an id, counts as the service's own, and an id that the server's schemas show it to
 * take back (`learn-fields.ts`). The server's metadata can raise the level and changes nothing else. Labels are built
 * once per answer, whatever the number of items.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { type Label, type Level, later, LEVELS } from '../../labels/label.ts'
import type { LabelTree, Provenance } from '../../labels/label-tree.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { parseFieldPath } from '../../text/field-path.ts'

export interface AnswerFacts {
  /** The label of every answer of the server. */
  readonly label: Label
  /** The unparsed answer, whose `_meta` may raise the level. */
  readonly raw: Json
  /** Paths of trusted fields; only for a structured answer, since a text that looks like JSON may have any author. */
  readonly fields: readonly string[]
  /** Such fields that are the server's directory of people or channels. */
  readonly directory?: readonly string[]
  readonly from: Provenance
}

export function labelAnswer({ label, raw, from, ...marks }: AnswerFacts): LabelTree {
  const level = later<Level>(LEVELS, label.level, levelSaid(raw))
  const raised = level === label.level ? label : { ...label, level }
  return { ...treeOf(markedPlaces(marks), raised), from }
}

/** The labels before there is an answer, assuming that every named field holds a single value. */
export function foreseeLabels({ label, from, ...marks }: Omit<AnswerFacts, 'raw'>): LabelTree {
  return { ...treeOf(markedPlaces(marks), label, true), from }
}

/** Answers of a server have the integrity `external`, whatever the server claims. */
export function labelOf({ id, label }: Pick<ServerDefinition, 'id' | 'label'>): Label {
  return { integrity: 'external', level: label, origins: new Set([id]) }
}

/** A node of the answer's structure: whether the definition marks it, and its members. */
interface Place {
  isMarked: boolean
  isDirectory: boolean
  each?: Place
  readonly members: Map<string, Place>
}

type Marks = Pick<AnswerFacts, 'fields' | 'directory'>

function markedPlaces({ fields, directory = [] }: Marks): Place {
  const root: Place = newPlace()
  for (const field of [...fields, ...directory]) placeAt(root, field).isMarked = true
  for (const field of directory) placeAt(root, field).isDirectory = true
  root.isMarked = false
  return root
}

function placeAt(root: Place, field: string): Place {
  let place = root
  for (const step of parseFieldPath(field) ?? []) {
    place = step.kind === 'each' ? (place.each ??= newPlace()) : memberOf(place, step.name)
  }
  return place
}

function memberOf({ members }: Place, name: string): Place {
  const place = members.get(name) ?? newPlace()
  members.set(name, place)
  return place
}

function newPlace(): Place {
  return { isMarked: false, isDirectory: false, members: new Map() }
}

/** `isPlain`: assume that a marked node holds a single value. */
function treeOf(place: Place, external: Label, isPlain = false): LabelTree {
  const { isMarked, each, members } = place
  const inside = each && treeOf(each, external, isPlain)
  // Only a single value can be the service's own; the members of a list or object found at a marked node stay external.
  const rest = isMarked && !isPlain ? (inside ?? { label: external }) : inside
  const named = [...members].map(
    ([name, inner]) => [name, treeOf(inner, external, isPlain)] as const,
  )
  return {
    ...markOf(place, external),
    ...(rest && { each: rest }),
    ...(named.length > 0 && { members: new Map(named) }),
  }
}

function markOf({ isMarked, isDirectory }: Place, external: Label): LabelTree {
  if (!isMarked) return { label: external }
  if (!isDirectory) return { label: { ...external, integrity: 'system' } }
  // The name of a person or channel is text that its bearer chose: an entry is bounded, and never trusted.
  const [of = ''] = external.origins
  return { label: { ...external, bound: { kind: 'member', of, isDirectory } } }
}

/** The words that servers use for levels, and the corresponding level. */
const SAID: ReadonlyMap<Json, Level> = new Map<Json, Level>([
  ...LEVELS.map((level) => [level, level] as const),
  ['low', 'internal'],
  ['private', 'sensitive'],
  ['confidential', 'sensitive'],
  ['medium', 'sensitive'],
  ['restricted', 'regulated'],
  ['high', 'regulated'],
])
const LEVEL_KEY = /(?:^|[/._-])(?:ifc|level|label|confidentiality|sensitivity|sensitiveHint)$/i

function levelSaid(raw: Json): Level {
  const meta = isJsonObject(raw) && isJsonObject(raw['_meta']) ? raw['_meta'] : {}
  return strictestIn(meta, 2)
}

function strictestIn(meta: JsonObject, depth: number): Level {
  let level: Level = meta['privateHint'] === true ? 'sensitive' : 'public'
  for (const [key, value] of Object.entries(meta)) {
    if (isJsonObject(value) && depth > 0) {
      level = later(LEVELS, level, strictestIn(value, depth - 1))
    } else if (LEVEL_KEY.test(key)) {
      level = later(LEVELS, level, SAID.get(value) ?? 'public')
    }
  }
  return level
}
