/**
 * Flags signs of tool poisoning in a tool's definition or a server's instructions: text addressed to a model instead of
 * a person, names of other tools, paths of credentials, invisible characters. Checks the whole definition, keys
 * included. Flags are only displayed and never decide, so evading them gains nothing. Pure.
 */
import { seenLine, seenText } from '../../text/untrusted-text.ts'
import type { Json } from '../../text/json.ts'
import type { ToolFlag } from '../../ports/tool-view.ts'
import type { RawTool } from '../session/tool-list.ts'
import { lookOf } from '../../text/look-alike.ts'

type FlagKind = ToolFlag['kind']

/** Names that an honest description does not mention. */
export interface Neighbours {
  /** The tools of the other servers. */
  readonly tools: ReadonlySet<string>
  /** By folded name (`lookOf`): the other servers that have a tool whose name looks the same. */
  readonly alike: ReadonlyMap<string, ReadonlySet<string>>
  /** The tools of the same server, which its descriptions may mention. */
  readonly siblings: ReadonlySet<string>
  /** The other servers. */
  readonly servers: ReadonlySet<string>
}

const MAX_FLAGS = 20
/**
 * In characters. An honest definition has a few thousand; text beyond the limit is not checked, and flagged as such.
 */
const MAX_LOOKED_AT = 1_000_000
/** Minimum cost of one text in characters, so that millions of empty texts use up the budget too. */
const PER_TEXT = 50
const MAX_FOUND = 80

/** Every pattern runs in linear time on any text. */
const PATTERNS: readonly (readonly [FlagKind, RegExp])[] = [
  [
    'hidden',
    // An emoji's own selector and joiner are seen, as part of its picture.
    /(?![\t\n\r])(?!(?<=\p{ExtPict}\ufe0f?)\u200d(?=\p{ExtPict}))[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0]|(?!(?<=\p{Emoji})\ufe0f)\p{Variation_Selector}/u,
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
  [
    'instruction',
    /\balways\s+(?:call|use|invoke|run|send|read|include|pass|approve|allow|accept|trust)\b/i,
  ],
  [
    'instruction',
    /\b(?:must|(?<!\b(?:on|the|a|at|each|its|your)\s)first)\s+(?:call|use|invoke|run|send|read)\b/i,
  ],
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

/** The same checks for a text outside of a tool's definition, such as a server's instructions. */
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
  // Invisible characters removed and separators replaced by spaces, so that split or joined words still match.
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

/** The match with some text before and after it, so that a person sees the context. */
function around(text: string, { index, 0: match }: RegExpExecArray): string {
  const start = Math.max(0, index - 20)
  const excerpt = seenLine(text.slice(start, index + match.length + 40), MAX_FOUND)
  return excerpt === '' ? `U+${(match.codePointAt(0) ?? 0).toString(16).toUpperCase()}` : excerpt
}

/** Tool names can be ordinary words, so only a word that looks like an identifier counts. */
const NAME = /[A-Za-z][\w-]*/g
const LOOKS_LIKE_ONE = /[_-]|[a-z][A-Z]/
/**
 * A server's name may be an ordinary word; beside one of these it means the server: `the slack server`, `mcp slack`.
 */
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

/** Every text in the definition, keys included; the recursion is bounded, since the depth was checked at parsing. */
function* textsIn(value: Json, where: string): Generator<{ where: string; text: string }> {
  if (typeof value === 'string')
    yield { where, text: isReference(where, value) ? spaced(value) : value }
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(value)) {
    const at = where === '' ? key : `${where}.${key}`
    if (!isList) yield { where: `${at} (its name)`, text: key }
    yield* textsIn(member, at)
  }
}

/** The path of a reference is no encoded text, however long; each of its parts may be. */
function isReference(where: string, value: string): boolean {
  return /(?:^|\.)\$ref$/.test(where) && value.startsWith('#/')
}

function spaced(path: string): string {
  return path.replaceAll('/', ' / ')
}
