/** Which nouns people say for the nouns in names of tools, beside the synonyms of the tool search. Pure. */
import { synonymsOf } from '../../text/synonyms.ts'
import { isFolder } from './read-clause.ts'
import { stemWord } from './stem-word.ts'
import type { ValueKind, ValueToken } from './read-tokens.ts'

const ROWS = `
  env environment variable var
  reaction react emoji
  stat stats statistics metrics analytics numbers
  permission access see
  info details detail information about size big large
  viewer whoami self me
  self whoami me
  authenticated whoami
  user who people person
  detail whoami
  cron schedule trigger
  revision version history change
  history messages past conversation log
  todo todos task
  received inbox got
  member people who users team
  config configuration settings
  identity sender
  directory directories folder folders files
  credit credits usage used
  text txt
  txt plain
  image picture photo pictures
  media picture image photo audio
  paper papers article
  domain domains
  active current
  memory remember know
  graph memory everything
  node memory remember know
  entity person thing
  freebusy free busy available
  event events meeting appointment calendar agenda invitation invite
  tab tabs
  doc document
  sheet spreadsheet
  slide presentation
  status state checks green
  approval approvals approved
  sum add plus total
  attachment file attachments
  suppression block
  profile profiles
`

const SAID: ReadonlyMap<string, ReadonlySet<string>> = readRows()

function readRows(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const row of ROWS.trim().split('\n')) {
    const [name = '', ...words] = row.trim().split(/\s+/).map(stemWord)
    found.set(name, new Set([...(found.get(name) ?? []), ...words]))
  }
  return found
}

const SYNONYM = 0.75

/** The words that people say for these nouns, each with how well it names them, from 0 to 1. All are stems. */
export function spokenFor(
  nouns: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const found = new Map<string, Map<string, number>>()
  const add = (word: string, noun: string, fit: number): void => {
    const named = found.get(word) ?? new Map<string, number>()
    named.set(noun, Math.max(fit, named.get(noun) ?? 0))
    found.set(word, named)
  }
  for (const noun of nouns) {
    for (const word of synonymsFor(noun)) add(word, noun, SYNONYM)
    add(noun, noun, 1)
  }
  return found
}

/** Kept by noun: only names of tools and arguments are looked up, never words of a sentence. */
const SYNONYMS = new Map<string, readonly string[]>()

/** Of this list and of the tool search, as stems. */
export function synonymsFor(noun: string): readonly string[] {
  const known = SYNONYMS.get(noun)
  if (known) return known
  const searched = [noun, `${noun}e`].flatMap((one) => synonymsOf(one).map(stemWord))
  const all = [...(SAID.get(noun) ?? []), ...searched]
  SYNONYMS.set(noun, all)
  return all
}

const nounsOf = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(stemWord))

/** Nouns that a value names by its form. */
const IMPLIED: Readonly<Partial<Record<ValueKind, ReadonlySet<string>>>> = {
  glob: nounsOf('file files'),
  url: nounsOf('page website web site url'),
  email: nounsOf('email mail contact address'),
  repo: nounsOf('repository project repo directory folder'),
  sql: nounsOf('sql query database'),
  emoji: nounsOf('reaction emoji'),
  channel: nounsOf('channel message'),
}

const FOLDERS = nounsOf('directory folder tree')
const FILES = nounsOf('file path')

/** How well a value of this form names the noun, from 0 to 1. */
export function impliedFit(noun: string, value: ValueToken): number {
  if (value.kind === 'path') return pathFit(noun, !isFolder(value))
  return IMPLIED[value.kind]?.has(noun) === true ? 0.8 : 0
}

/** `notes.txt` is a file, `~/Documents` rather a folder. */
function pathFit(noun: string, isFile: boolean): number {
  if (FILES.has(noun)) return isFile ? 0.8 : 0.6
  if (FOLDERS.has(noun)) return isFile ? 0.1 : 0.8
  return noun === 'text' && isFile ? 0.6 : 0
}
