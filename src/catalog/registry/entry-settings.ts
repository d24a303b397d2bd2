/** The variables of a package and the headers of an address, as settings and as credentials to ask for. */
import type { CredentialNeed } from '../../ports/service-facts.ts'
import { secretNeed, titleFor } from '../stranger-service.ts'
import { isSettableName } from '../settable-name.ts'
import { type EntryInput, readInput } from './entry-input.ts'
import { field, type Loose, recordsOf, textOf } from './loose.ts'

export interface EntrySettings {
  readonly env: Readonly<Record<string, string>>
  readonly credentials: readonly CredentialNeed[]
  readonly notes: readonly string[]
}

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
/** Headers of HTTP or of the MCP protocol itself, not of the service. */
const STEERING_HEADER =
  /^(?:host|connection|content-.*|transfer-encoding|te|upgrade|cookie|accept.*|origin|mcp-(?:session-id|protocol-version))$/i

export function isUsableHeader(name: string): boolean {
  return HEADER.test(name) && !STEERING_HEADER.test(name)
}

export function readVariables(whose: string, inputs: unknown): EntrySettings {
  return collect(whose, recordsOf(inputs), (name) => (isSettableName(name) ? name : undefined))
}

export function readHeaders(whose: string, inputs: unknown): EntrySettings {
  return collect(whose, recordsOf(inputs), (name, input) => {
    if (!isUsableHeader(name)) return undefined
    return isBearer(name, textOf(field(input, 'value'))) ? 'bearer' : `header:${name}`
  })
}

/** Without a template, a bearer token is expected; for another scheme the owner must type the scheme too. */
function isBearer(name: string, value: string | undefined): boolean {
  return /^authorization$/i.test(name) && (value === undefined || /^bearer \{[^}]*\}$/i.test(value))
}

function collect(
  whose: string,
  inputs: readonly Loose[],
  keyOf: (name: string, input: Loose) => string | undefined,
): EntrySettings {
  const env = new Map<string, string>()
  const needs = new Map<string, CredentialNeed>()
  let left = 0
  for (const input of inputs) {
    const name = textOf(field(input, 'name')) ?? ''
    const key = keyOf(name, input)
    const read = readInput(name, key === 'bearer' ? { ...input, isSecret: true } : input)
    if (key === undefined) left += 1
    else if (read.kind === 'fixed' && !needs.has(key)) env.set(key, read.value)
    else if (read.kind === 'ask' && !env.has(key)) needs.set(key, needFor(whose, key, read))
  }
  const notes =
    left === 0
      ? []
      : ['Some settings it asks for have names that cannot be used, and were left out.']
  return { env: Object.fromEntries(env), credentials: [...needs.values()], notes }
}

function needFor(
  whose: string,
  key: string,
  { isSecret, required, where }: Extract<EntryInput, { kind: 'ask' }>,
): CredentialNeed {
  const facts = { required, ...(where === undefined ? {} : { where }) }
  if (isSecret) return secretNeed(whose, key, facts)
  return { key, title: titleFor(key), prefixes: [], ...facts }
}
