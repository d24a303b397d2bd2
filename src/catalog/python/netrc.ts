/** The login for an index, as pip finds it: in the address itself, or in `~/.netrc`. Secret: never shown or logged. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { NpmPlace } from '../install/npm-settings.ts'

export function loginIn({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return basic(decodeURIComponent(username), decodeURIComponent(password))
}

export async function readNetrc(
  { environment, homeFolder }: NpmPlace,
  host: string,
): Promise<string | undefined> {
  const file = environment['NETRC'] ?? path.join(homeFolder, '.netrc')
  return parseNetrc(await readFile(file, 'utf8').catch(() => ''), host)
}

/** Entries of words: `machine HOST login NAME password WORD`. */
export function parseNetrc(text: string, host: string): string | undefined {
  const words = text.replace(/^\s*#.*$/gm, '').split(/\s+/)
  const start = words.findIndex((word, at) => word === 'machine' && words[at + 1] === host)
  if (start === -1) return undefined
  const next = words.findIndex((word, at) => at > start && /^(?:machine|default)$/.test(word))
  const entry = words.slice(start + 2, next === -1 ? undefined : next)
  const after = (key: string): string | undefined => {
    const at = entry.findIndex((word, place) => word === key && place % 2 === 0)
    return at === -1 ? undefined : entry[at + 1]
  }
  const [login, password] = [after('login'), after('password')]
  return login === undefined || password === undefined ? undefined : basic(login, password)
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
