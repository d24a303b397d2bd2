/**
 * Replaces placeholders by values in the headers of a request, and values by placeholders in those of an answer. Pure.
 * Never touches the path, the query or a body. Only headers that carry credentials are filled in: a service may repeat
 * any other one in an error message, and the server would read the value there.
 */
import type { Seal } from '../../ports/egress-port.ts'
import { spellings } from '../../text/spellings.ts'
import { type AllowList, createAllowList } from '../reach/allow-list.ts'

type Credential = Seal['credentials'][number]

export interface SealRule extends Credential {
  readonly mayReach: AllowList
  /** Finds the value in every spelling; undefined where ordinary words would hold it. */
  readonly anywhere: RegExp | undefined
}

/** A placeholder that was passed on as it is. */
export interface Stray {
  readonly name: string
  readonly where: string
}

export interface FilledIn {
  /** Names and values in turn, as Node writes them. */
  readonly headers: readonly string[]
  readonly strays: readonly Stray[]
}

const CREDENTIAL_HEADER = /auth|token|key|secret|pass|credential|session|cookie/i
/** Identify a request, a cache entry or a person, so that services repeat them, also in the body of an error. */
const REPEATED_HEADER =
  /idempoten|websocket|csrf|xsrf|author(?!i[sz])|cache|surrogate|request|trace|correlation/i
const BASIC = /^(basic +)([A-Za-z0-9+/]+={0,2}) *$/i
/** Shorter values would be found in ordinary words. */
const SHORTEST_HIDDEN = 8

export function sealRules(credentials: Seal['credentials']): readonly SealRule[] {
  return credentials.map((one) => {
    return { ...one, mayReach: createAllowList(one.hosts), anywhere: anywhere(one.value()) }
  })
}

/** `raw`: names and values in turn. */
export function fillIn(
  rules: readonly SealRule[],
  host: string,
  request: { readonly path: string; readonly raw: readonly string[] },
): FilledIn {
  const strays: Stray[] = []
  const headers = request.raw.map((word, index) => {
    if (index % 2 === 0) return word
    const header = request.raw[index - 1] ?? ''
    return rules.reduce((value, rule) => {
      if (!holds(value, rule.placeholder)) return value
      if (rule.mayReach(host) && carriesCredentials(header)) return put(value, rule)
      strays.push({ name: rule.name, where: `header ${header.toLowerCase().slice(0, 64)}` })
      return value
    }, word)
  })
  for (const { name, placeholder } of rules) {
    if (request.path.includes(placeholder)) strays.push({ name, where: 'path' })
  }
  return { headers, strays }
}

/** The words of an answer's head with every value hidden, also where it is spelled as in a URL, in hex or in base64. */
export function hideIn(rules: readonly SealRule[], words: readonly string[]): readonly string[] {
  const head = words.join('\n') // looked through as one text, since almost no head holds a value
  return rules.reduce((hidden, { anywhere: value, placeholder }) => {
    if (value === undefined || head.search(value) === -1) return hidden
    return hidden.map((word) => word.replaceAll(value, () => placeholder))
  }, words)
}

/** Made once, as it takes longer than a whole answer, and kept as long as the proxy, which ends before the lease does. */
function anywhere(secret: Buffer): RegExp | undefined {
  if (secret.length < SHORTEST_HIDDEN) return undefined
  const spelled = new Set(spellings(secret).map((spelling) => spelling.toString('latin1')))
  const longestFirst = [...spelled].toSorted((one, other) => other.length - one.length)
  return new RegExp(longestFirst.map((text) => RegExp.escape(text)).join('|'), 'g')
}

function carriesCredentials(header: string): boolean {
  return CREDENTIAL_HEADER.test(header) && !REPEATED_HEADER.test(header)
}

function holds(value: string, placeholder: string): boolean {
  return value.includes(placeholder) || insideBasic(value)?.includes(placeholder) === true
}

function put(value: string, { placeholder, value: secret }: SealRule): string {
  const fill = (text: string): string =>
    text.replaceAll(placeholder, () => secret().toString('latin1'))
  const login = insideBasic(value)
  if (login?.includes(placeholder) !== true) return fill(value)
  const scheme = BASIC.exec(value)?.[1] ?? ''
  return scheme + Buffer.from(fill(login), 'latin1').toString('base64')
}

/** `user:password` of a Basic authorization (RFC 7617). */
function insideBasic(value: string): string | undefined {
  const encoded = BASIC.exec(value)?.[2]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('latin1')
}
