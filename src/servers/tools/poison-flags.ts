/**
 * What is odd about a tool's definition, or about what a server says of itself: words meant for a model instead of a
 * person, other tools' names, places where keys lie, text that cannot be seen. The whole definition is looked at, names
 * included. A flag is shown and decides nothing, so a clever text without one gains nothing. Pure.
 */
import { seenLine, seenText } from '../../text/untrusted-text.ts'
import type { Json } from '../../kernel/json.ts'
import type { ToolFlag } from '../../kernel/tool-view.ts'
import type { RawTool } from '../session/tool-list.ts'
import { lookOf } from '../../text/look-alike.ts'

type FlagKind = ToolFlag['kind']

/** Names that a description has no reason to say. */
export interface Neighbours {
  /** The tools of the other servers. */
  readonly tools: ReadonlySet<string>
  /** By how their names look (`lookOf`): which servers have such a one. */
  readonly alike: ReadonlyMap<string, ReadonlySet<string>>
  /** The tools of the same server: those may be spoken of. */
  readonly siblings: ReadonlySet<string>
  /** The other servers. */
  readonly servers: ReadonlySet<string>
}

const MAX_FLAGS = 20
/** Characters. An honest definition has a few thousand; what is beyond is not looked at, and flagged for that. */
const MAX_LOOKED_AT = 1_000_000
/** Characters that a look costs, however short the text: empty ones must not be free. */
const PER_TEXT = 50
const MAX_FOUND = 80

/** Each takes time in proportion to the text, whatever the text is. */
const PATTERNS: readonly (readonly [FlagKind, RegExp])[] = [
  [
    'hidden',
    /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0]|\p{Variation_Selector}/u,
  ],
  ['markup', /<!--|<\/?(?:important|system|instructions?|secret|hidden|assistant|user|tool)\b/i],
  [
    'instruction',
    /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|above|earlier|other|system)\b/i,
  ],
  [
    'instruction',
    /\b(?:do\s+not|don't|never|without)\s+(?:tell|telling|mention|mentioning|inform|informing|show|notify|notifying|reveal)/i,
  ],
  [
    'instruction',
    /\b(?:before|after|when|whenever)\s+(?:using|calling|you\s+use|you\s+call)\s+(?:this|any|another|other)\b/i,
  ],
  ['instruction', /\b(?:always|must|first)\s+(?:call|use|invoke|run|send|read|include|pass)\b/i],
  ['instruction', /\byou\s+(?:are|must|should|will)\s+(?:now|always|never|not)\b/i],
  ['instruction', /\b(?:system\s+prompt|conversation\s+history|chat\s+history)\b/i],
  [
    'path',
    /~\/\.|\/etc\/(?:passwd|shadow)|\.ssh\b|(?<![a-z])id[_ ](?:rsa|ed25519|ecdsa)|\.env\b|\bmcp\.json|\.aws\b|\.npmrc|\.netrc|\.git-credentials|private[_ ]key/i,
  ],
  ['encoded', /\b[0-9a-f]{64,}\b|(?:[A-Za-z0-9+/]{80,}={0,2})|(?:\\x[0-9a-f]{2}){8,}/i],
]

export function flagsOf(raw: RawTool, neighbours: Neighbours): readonly ToolFlag[] {
  const flags: ToolFlag[] = []
  const twins = [...(neighbours.alike.get(lookOf(raw.name)) ?? [])]
  if (twins.length > 0) flags.push({ kind: 'same-name', where: 'name', found: twins.join(', ') })
  let left = MAX_LOOKED_AT
  for (const { where, text } of textsIn(raw, '')) {
    left -= text.length + PER_TEXT
    const found = left < 0 ? [TOO_MUCH] : kindsIn(text, neighbours)
    const kinds = new Map(found.map((one) => [one.kind, one]))
    for (const one of kinds.values()) flags.push({ ...one, where: seenLine(where, MAX_FOUND * 2) })
    if (flags.length >= MAX_FLAGS || left < 0) break
  }
  return flags.slice(0, MAX_FLAGS)
}

/** The same of a text that belongs to no tool, such as a server's instructions. */
export function flagsOfText(
  text: string,
  where: string,
  neighbours: Neighbours,
): readonly ToolFlag[] {
  const found = text.length > MAX_LOOKED_AT ? [TOO_MUCH] : kindsIn(text, neighbours)
  const kinds = new Map(found.map((one) => [one.kind, one]))
  return [...kinds.values()].map((one) => ({ ...one, where }))
}

type Found = Pick<ToolFlag, 'kind' | 'found'>

const TOO_MUCH: Found = { kind: 'hidden', found: 'too much text to look at, from here on' }

function kindsIn(text: string, neighbours: Neighbours): readonly Found[] {
  // Words that are split by what cannot be seen, or joined by something else than a space, are still words.
  const plain = seenText(text)
    .normalize('NFKC')
    .replace(/[_\s]+/g, ' ')
  const found = PATTERNS.flatMap(([kind, pattern]): Found[] => {
    const subject = kind === 'hidden' ? text : [text, plain].find((one) => pattern.test(one))
    const match = subject === undefined ? null : pattern.exec(subject)
    return match && subject !== undefined ? [{ kind, found: around(subject, match) }] : []
  })
  const other = mentions(text, neighbours)
  return other === undefined ? found : [...found, { kind: 'other-tool', found: other }]
}

/** A few words before and after, so that a person sees what it is about. */
function around(text: string, { index, 0: match }: RegExpExecArray): string {
  const start = Math.max(0, index - 20)
  const excerpt = seenLine(text.slice(start, index + match.length + 40), MAX_FOUND)
  return excerpt === '' ? `U+${(match.codePointAt(0) ?? 0).toString(16).toUpperCase()}` : excerpt
}

/** Single words are also ordinary words: only what looks like a name counts. */
const NAME = /[A-Za-z][\w-]*/g
const LOOKS_LIKE_ONE = /[_-]|[a-z][A-Z]/
/** `the slack server`, `mcp slack`: then it is not the word but the server that is meant. */
const ABOUT_SERVERS = new Set(['mcp', 'server', 'servers', 'tool', 'tools'])

function mentions(text: string, neighbours: Neighbours): string | undefined {
  const { tools, siblings, servers } = neighbours
  for (const [name] of text.matchAll(NAME)) {
    if (!LOOKS_LIKE_ONE.test(name)) continue
    if (tools.has(name) && !siblings.has(name)) return name
    if (servers.has(name.toLowerCase())) return name
  }
  const words = text.toLowerCase().match(/[a-z0-9_-]+/g) ?? []
  return words.find((word, at) => {
    const isAbout = [words[at - 1], words[at + 1]].some((next) => ABOUT_SERVERS.has(next ?? ''))
    return isAbout && servers.has(word)
  })
}

/** Every text in the definition, keys included; how deep it goes was checked when it was read. */
function* textsIn(value: Json, where: string): Generator<{ where: string; text: string }> {
  if (typeof value === 'string') yield { where, text: value }
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(value)) {
    const at = where === '' ? key : `${where}.${key}`
    if (!isList) yield { where: `${at} (its name)`, text: key }
    yield* textsIn(member, at)
  }
}
