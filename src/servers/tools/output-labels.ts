/**
 * How what a tool answers is labelled. All of it is foreign, as confidential as its server; only where the definition
 * names a field of a structured answer is a value the service's own, such as an id. What a server says about its answer
 * can raise its level, and nothing else. The labels are made once per answer, however many items it has.
 */
import type { Json, JsonObject } from '../../kernel/json.ts'
import { type Label, type Level, later, LEVELS } from '../../kernel/label.ts'
import type { LabelTree, Provenance } from '../../kernel/label-tree.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { parseFieldPath } from './field-path.ts'

export interface AnswerFacts {
  /** Of everything its server says. */
  readonly label: Label
  /** The answer as it came, for what the server says about it. */
  readonly raw: Json
  /** Only of a structured answer: a text can look like JSON, and be anybody's. */
  readonly fields: readonly string[]
  readonly from: Provenance
}

export function labelAnswer({ label, raw, fields, from }: AnswerFacts): LabelTree {
  const level = later<Level>(LEVELS, label.level, levelSaid(raw))
  const raised = level === label.level ? label : { ...label, level }
  return { ...treeOf(markedPlaces(fields), raised), from }
}

/** Before there is an answer: as it will be labelled where every field is what it was named for. */
export function foreseeLabels({ label, fields, from }: Omit<AnswerFacts, 'raw'>): LabelTree {
  return { ...treeOf(markedPlaces(fields), label, true), from }
}

/** What a server says is foreign, whatever it says about itself. */
export function labelOf({ id, label }: Pick<ServerDefinition, 'id' | 'label'>): Label {
  return { integrity: 'external', level: label, origins: new Set([id]) }
}

/** A place in the answer: whether it is marked, and what is in it. */
interface Place {
  isMarked: boolean
  each?: Place
  readonly members: Map<string, Place>
}

function markedPlaces(fields: readonly string[]): Place {
  const root: Place = newPlace()
  for (const field of fields) {
    let place = root
    for (const step of parseFieldPath(field) ?? []) {
      place = step.kind === 'each' ? (place.each ??= newPlace()) : memberOf(place, step.name)
    }
    if (place !== root) place.isMarked = true
  }
  return root
}

function memberOf({ members }: Place, name: string): Place {
  const place = members.get(name) ?? newPlace()
  members.set(name, place)
  return place
}

function newPlace(): Place {
  return { isMarked: false, members: new Map() }
}

/** `isPlain`: nothing is in a marked place but the single value that was meant. */
function treeOf({ isMarked, each, members }: Place, external: Label, isPlain = false): LabelTree {
  const inside = each && treeOf(each, external, isPlain)
  // Only a single value can be the service's own: what is in a list or an object there is not what was meant.
  const rest = isMarked && !isPlain ? (inside ?? { label: external }) : inside
  const named = [...members].map(
    ([name, place]) => [name, treeOf(place, external, isPlain)] as const,
  )
  return {
    label: isMarked ? { ...external, integrity: 'system' } : external,
    ...(rest && { each: rest }),
    ...(named.length > 0 && { members: new Map(named) }),
  }
}

/** The words in which servers speak of levels, and what they come to. */
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
