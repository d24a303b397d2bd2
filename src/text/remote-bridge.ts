/**
 * `npx mcp-remote URL`: a program that only passes messages on to a remote server, for clients without one of their own.
 * Cordon reaches the remote server itself, so the line is read and never run. Pure; header values may be secrets.
 */

export interface RemoteBridge {
  readonly url: string
  readonly transport?: 'sse' | 'stream-http'
  /** As written: a value may name a variable, `Bearer ${TOKEN}`. */
  readonly headers: Readonly<Record<string, string>>
  /** Options that have no meaning without the program, and were left out. */
  readonly lost: readonly string[]
}

const PACKAGE = /^mcp-remote(?:@[\w.^~-]+)?$/
const HEADER = /^(?<key>[\w-]+):\s*(?<text>[^]*)$/
/** Options of the program that take the next word as value. */
const TAKES_VALUE = /^--(?:header|transport|host|resource|static-oauth-client-(?:metadata|info))$/
/** Options that are taken over, or whose effect Cordon has anyway. */
const CARRIED = /^--(?:header|transport|allow-http|debug|silent|enable-proxy|host|resource)$/

/** Undefined if these words do not start the program with an address. */
export function parseRemoteBridge(words: readonly string[]): RemoteBridge | undefined {
  const at = words.findIndex((word) => PACKAGE.test(word))
  const [url = '', ...rest] = at < 0 ? [] : words.slice(at + 1)
  if (!/^https?:\/\//i.test(url)) return undefined
  const options = readOptions(rest)
  const transport = options.find(({ name }) => name === '--transport')?.value
  const lost = options.filter(({ name }) => !CARRIED.test(name)).map(({ name }) => name)
  const isSse = transport?.startsWith('sse')
  return {
    url,
    headers: headersIn(options),
    lost,
    ...(isSse !== undefined && { transport: isSse ? 'sse' : 'stream-http' }),
  }
}

interface Option {
  readonly name: string
  readonly value: string
}

function readOptions(words: readonly string[]): readonly Option[] {
  return words.flatMap((name, index) => {
    if (!name.startsWith('--') || TAKES_VALUE.test(words[index - 1] ?? '')) return []
    return [{ name, value: TAKES_VALUE.test(name) ? (words[index + 1] ?? '') : '' }]
  })
}

function headersIn(options: readonly Option[]): Readonly<Record<string, string>> {
  const headers = options.flatMap(({ name, value }) => {
    const { key, text } = (name === '--header' && HEADER.exec(value)?.groups) || {}
    return key === undefined || text === undefined ? [] : [[key, text] as const]
  })
  return Object.fromEntries(headers)
}
