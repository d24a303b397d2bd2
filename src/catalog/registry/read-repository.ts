/**
 * The server.json of a repository on GitHub, by the address that people copy from their browser. Only that one file is
 * fetched, from one host, within a few seconds; its text is untrusted, and read like a pasted one.
 */
import { readAtMost } from '../../text/read-at-most.ts'
import { unreadable } from '../catalog-errors.ts'

export const REPOSITORY_HOST = 'raw.githubusercontent.com'

const REPOSITORY =
  /^https:\/\/(?:www\.)?github\.com\/(?<owner>[\w.-]+)\/(?<name>[\w.-]+?)(?:\.git)?(?:\/(?:tree|blob)\/(?<ref>[\w.-]+)(?<folder>(?:\/[\w.-]+)*))?\/?(?:[#?].*)?$/i
const MAX_BYTES = 64 * 1024
const DEADLINE_MS = 8000
const HINT = "Paste the server's npx line or its https address from its README instead"

/** The text of the server.json; undefined if the address is no repository. */
export type ReadRepository = (address: string, signal: AbortSignal) => Promise<string | undefined>

export function createReadRepository(fetch: typeof globalThis.fetch): ReadRepository {
  return async (address, signal) => {
    const url = entryUrl(address)
    if (url === undefined) return undefined
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
    const response = await fetch(url, { signal: deadline }).catch(() => {
      signal.throwIfAborted()
      throw unreadable('that repository: GitHub could not be reached', HINT)
    })
    const body = response.ok ? await readAtMost(response.body, MAX_BYTES) : undefined
    if (!response.ok) await response.body?.cancel()
    if (body === undefined) throw unreadable('that repository: it has no server.json', HINT)
    return body.toString()
  }
}

/** Undefined if this is not the address of a repository or of a folder or server.json in one. */
export function entryUrl(address: string): string | undefined {
  const { owner, name, ref = 'HEAD', folder = '' } = REPOSITORY.exec(address)?.groups ?? {}
  if (owner === undefined || name === undefined || /(?:^|\/)\.\.?(?:\/|$)/.test(folder))
    return undefined
  const file = folder.endsWith('/server.json') ? folder : `${folder}/server.json`
  return `https://${REPOSITORY_HOST}/${owner}/${name}/${ref}${file}`
}
