/**
 * The effect that a tool claims by its name, its schema and its annotations, with Cordon's doubts about the claim. All
 * of these are the server's own text, so a claim alone lowers nothing: it is put to the owner, and it chooses the words
 * of a question. A claim to be a read is doubted wherever another part of the definition contradicts it. Pure.
 */
import type { Semantics } from '../../kernel/server-definition.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { judgeName } from '../life/judge-effect.ts'
import { propertiesOf } from './argument-roles.ts'
import { CLAIMED_WORDS } from './claimed-words.ts'
import { nameTokens, singular } from '../../text/name-tokens.ts'

const { CHANGING, FINAL, GIVEN, NOUNS, READING, RUN, SWITCHES } = CLAIMED_WORDS

export interface Claim {
  readonly says: Semantics
  /** Cordon's own sentences, for people. */
  readonly because: string
  readonly doubt?: string
}

type Claiming = Pick<ToolDescription, 'name' | 'description' | 'inputSchema' | 'annotations'>

export function claimOf(tool: Claiming): Claim {
  const raised = judgeName(tool) ?? finalHint(tool)
  if (raised) return raised
  const { readOnlyHint } = tool.annotations ?? {}
  const verb = verbOf(tool.name)
  if (readOnlyHint === true) return doubted(tool, verb, 'its server says that it only reads')
  if (verb?.kind === 'read' && readOnlyHint === undefined) {
    return doubted(tool, verb, `its name says ${JSON.stringify(verb.word)}`)
  }
  return changeOf(tool, verb)
}

/** Whether the tool claims to be a read and nothing contradicts it: chooses the words of a question, nothing else. */
export function isClaimedRead(tool: Claiming): boolean {
  const { says, doubt } = claimOf(tool)
  return says === 'read' && doubt === undefined
}

function finalHint({ annotations }: Claiming): Claim | undefined {
  if (annotations?.['destructiveHint'] !== true || annotations['readOnlyHint'] === true) {
    return undefined
  }
  return { says: 'destructive', because: 'its server says that it cannot be taken back' }
}

function doubted(tool: Claiming, verb: Verb | undefined, because: string): Claim {
  const doubt = doubtByName(verb) ?? doubtByHints(tool) ?? doubtBySchema(tool) ?? doubtByText(tool)
  return { says: 'read', because, ...(doubt !== undefined && { doubt }) }
}

function changeOf(tool: Claiming, verb: Verb | undefined): Claim {
  if (verb?.kind === 'final') {
    return { says: 'destructive', because: `its name says ${JSON.stringify(verb.word)}` }
  }
  const choice = choiceIn(tool, FINAL)
  if (choice !== undefined) return { says: 'destructive', because: choice }
  if (verb?.kind === 'change') {
    return { says: 'write', because: `its name says ${JSON.stringify(verb.word)}` }
  }
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {}
  if (readOnlyHint === false && destructiveHint === false) {
    return { says: 'write', because: 'its server says that it changes things, and can be undone' }
  }
  const doubt = 'neither its name nor its server says what it does'
  return { says: 'destructive', because: doubt, doubt }
}

interface Verb {
  readonly kind: 'read' | 'change' | 'final'
  readonly word: string
  /** A verb of change beside the one that counts: `get_or_create`. */
  readonly also?: string
}

/** The first verb of the name counts; a later one that can be a noun is taken for one. */
function verbOf(name: string): Verb | undefined {
  const words = nameTokens(name.replace(MERGE_REQUEST, ' '))
  const at = words.findIndex((word) => kindOf(word) !== undefined)
  const word = words[at]
  const kind = word === undefined ? undefined : kindOf(word)
  if (word === undefined || kind === undefined) return undefined
  const rest = words.slice(at + 1).filter((later, i, all) => isVerb(later, all[i - 1]))
  const others = rest.filter((later) => kindOf(later) !== 'read')
  const final = others.find((later) => FINAL.has(later))
  if (kind === 'change' && final !== undefined) return { kind: 'final', word: final }
  return { kind, word, ...(others[0] !== undefined && { also: others[0] }) }
}

/** A compound noun that begins with a verb. */
const MERGE_REQUEST = /merge[-_ ]?requests?/gi

function kindOf(word: string): Verb['kind'] | undefined {
  if (READING.has(word)) return 'read'
  if (FINAL.has(word)) return 'final'
  return CHANGING.has(word) ? 'change' : undefined
}

/** A plural is a noun; a word that can be a noun is one unless a conjunction says that a second verb follows. */
function isVerb(word: string, before: string | undefined): boolean {
  if (before === 'and' || before === 'or') return kindOf(word) !== undefined
  return kindOf(word) !== undefined && !NOUNS.has(word) && singular(word) === word
}

function doubtByName(verb: Verb | undefined): string | undefined {
  const word = verb?.kind === 'read' ? verb.also : verb?.word
  return word === undefined ? undefined : `its name says ${JSON.stringify(word)}`
}

function doubtByHints({ annotations }: Claiming): string | undefined {
  if (annotations?.['destructiveHint'] !== true) return undefined
  return 'its server says as well that it cannot be taken back'
}

function doubtBySchema(tool: Claiming): string | undefined {
  for (const [name, schema] of Object.entries(propertiesOf(tool.inputSchema))) {
    const doubt = doubtByArgument(name, schema)
    if (doubt !== undefined) return `its argument ${JSON.stringify(name)} ${doubt}`
  }
  return choiceIn(tool, FINAL) ?? choiceIn(tool, CHANGING)
}

function doubtByArgument(name: string, schema: Json): string | undefined {
  const words = nameTokens(name).map(singular)
  const last = words.at(-1) ?? ''
  if (RUN.has(last)) return 'can hold something to run'
  if (GIVEN.has(last) && isGiven(schema)) return 'gives it something'
  const isSwitch = isJsonObject(schema) && schema['type'] === 'boolean'
  return isSwitch && SWITCHES.has(words[0] ?? '') ? 'is for a change' : undefined
}

/** A switch named `content` (`include_content: true`) gives a tool nothing. */
function isGiven(schema: Json): boolean {
  return !isJsonObject(schema) || (schema['type'] !== 'boolean' && !('enum' in schema))
}

const CHOOSING = new Set(['action', 'operation', 'method', 'verb', 'mode', 'command', 'op'])

/** One tool for many things: `manage_page` with `action: list | create | delete`. */
function choiceIn({ inputSchema }: Claiming, words: ReadonlySet<string>): string | undefined {
  for (const [name, schema] of Object.entries(propertiesOf(inputSchema))) {
    if (!CHOOSING.has(nameTokens(name).at(-1) ?? '')) continue
    const choice = choicesOf(schema).find((one) => nameTokens(one).some((word) => words.has(word)))
    if (choice !== undefined) {
      return `its argument ${JSON.stringify(name)} can be ${JSON.stringify(choice)}`
    }
  }
  return undefined
}

function choicesOf(schema: Json): readonly string[] {
  const { enum: choices } = isJsonObject(schema) ? schema : ({} as JsonObject)
  if (!Array.isArray(choices)) return []
  return choices.filter((one): one is string => typeof one === 'string')
}

/** The description can only raise a doubt: `Creates a page and returns its id`, `Runs an SQL query`. */
function doubtByText({ description = '' }: Claiming): string | undefined {
  if (/\bsql\b/i.test(description)) return 'its description speaks of SQL'
  const first = nameTokens(description.slice(0, 60))[0] ?? ''
  const stem = [first, singular(first), first.replace(/e?s$/, ''), first.replace(/s$/, '')].find(
    (word) => (CHANGING.has(word) || FINAL.has(word)) && !NOUNS.has(word) && !SHOWN.has(word),
  )
  return stem === undefined ? undefined : `its description begins with ${JSON.stringify(first)}`
}

/** Verbs with which descriptions of reads begin: `Exports the page as text`, `Opens the list`. */
const SHOWN = new Set([
  'download',
  'export',
  'convert',
  'generate',
  'open',
  'make',
  'run',
  'execute',
])
