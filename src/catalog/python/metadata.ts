/** The metadata of a package (`METADATA`, as in PEP 566): headers like those of a mail. Untrusted. Pure. */
import { Unfit } from '../install/unfit.ts'
import { isPythonName, normalName } from './normal-name.ts'
import { parseRequirement, type Requirement } from './requirement.ts'
import { parseVersion, type Version } from './version.ts'

export interface Metadata {
  readonly name: string
  readonly version: Version
  readonly requires: readonly Requirement[]
  readonly author?: string
  /** The text after the headers: mostly its README. */
  readonly readme: string
}

const HEADER = /^(?<key>[A-Za-z][A-Za-z-]{0,60}):[ \t]?(?<value>.*)$/
const MOST_REQUIREMENTS = 2000

/** Throws `Unfit` if it is none. */
export function parseMetadata(text: string): Metadata {
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n\n')
  const fields = readHeaders(head)
  const get = (key: string): string | undefined => fields.get(key)?.[0]
  const name = get('name') ?? ''
  const version = parseVersion(get('version') ?? '')
  const requires = (fields.get('requires-dist') ?? []).slice(0, MOST_REQUIREMENTS)
  if (!isPythonName(name) || !version) throw new Unfit('its description is damaged')
  const author = get('author') ?? get('author-email')
  return {
    name: normalName(name),
    version,
    requires: requires.map(parseRequirement),
    ...(author !== undefined && { author }),
    readme: rest.join('\n\n'),
  }
}

/** Keys in lower case. A line that begins with a space continues the one before. */
export function readHeaders(head: string): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>()
  for (const line of head.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const { key, value = '' } = HEADER.exec(line)?.groups ?? {}
    if (key === undefined) continue
    const known = fields.get(key.toLowerCase())
    if (known) known.push(value.trim())
    else fields.set(key.toLowerCase(), [value.trim()])
  }
  return fields
}
