/**
 * Requests to the index, from inside the install sandbox: the only way out is the proxy, which reaches the index's hosts
 * and no other. Follows redirects to these hosts only. The login is sent to the index itself and nowhere else.
 */
import { fetchToFile, isFull } from '../install/fetch-to-file.ts'
import { JobError } from './job-error.ts'

export interface AskParts {
  /** Hosts with port, the index's own first. */
  readonly hosts: readonly string[]
  /** The value of `Authorization`. Secret. */
  readonly authorization?: string
  readonly silenceMs: number
  /** Called for each answer. */
  readonly answered: () => void
}

export interface IndexAnswer {
  readonly text: string
  readonly type: string
  /** After redirects. */
  readonly url: string
}

const MOST_REDIRECTS = 5
const LARGEST_TEXT = 32 * 2 ** 20
const LARGEST_FILE = 480 * 2 ** 20
const FAILED_FOR_NOW = 500
const TOO_MANY = 429

/** Undefined if the index has no such page. */
export async function askIndex(
  parts: AskParts,
  url: string,
  accept: string,
): Promise<IndexAnswer | undefined> {
  return await twice(async () => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > LARGEST_TEXT) throw new JobError('bad-package', 'the Python index sends too much')
      chunks.push(chunk)
    }
    const found = await ask(parts, url, accept, take)
    return found && { ...found, text: Buffer.concat(chunks).toString('utf8') }
  })
}

/** Writes the file to `target`, and gives its SHA-256. Undefined if the index does not have it. */
export async function fetchFile(
  parts: AskParts,
  url: string,
  target: string,
): Promise<string | undefined> {
  const tooMuch = (): Error => new JobError('unsafe-package', 'one of its files is too large')
  return await twice(async () => {
    const place = { target, mostBytes: LARGEST_FILE, tooMuch }
    const { answer, sha256 } = await fetchToFile(place, (take) => ask(parts, url, '*/*', take))
    return answer && sha256
  })
}

/** A connection that broke may be bad luck. An answer is an answer. */
async function twice<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof JobError && error.problem !== 'registry-unreachable') throw error
    return await run()
  }
}

type Take = (chunk: Buffer) => void

async function ask(
  parts: AskParts,
  first: string,
  accept: string,
  take: Take,
): Promise<Omit<IndexAnswer, 'text'> | undefined> {
  let url = allowed(parts, first)
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const next = await request(parts, url, accept, take)
    if (next === undefined || typeof next !== 'string') return next && { ...next, url: url.href }
    url = allowed(parts, URL.parse(next, url.href)?.href ?? '')
  }
  throw new JobError('registry-unreachable', 'the Python index redirects in a circle')
}

function allowed({ hosts }: AskParts, address: string): URL {
  const url = URL.parse(address)
  const isAllowed =
    url?.protocol === 'https:' && hosts.includes(`${url.hostname}:${url.port || 443}`)
  if (!url || !isAllowed) {
    const host = JSON.stringify(`${url?.protocol ?? ''}//${url?.host ?? ''}`.slice(0, 80))
    throw new JobError('bad-package', `a file of it is at ${host} and not at the Python index`)
  }
  return url
}

/** The place of a redirect, or the type of the content that was taken. */
async function request(
  parts: AskParts,
  url: URL,
  accept: string,
  take: Take,
): Promise<string | { readonly type: string } | undefined> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), parts.silenceMs)
  try {
    // oxlint-disable-next-line no-restricted-globals -- inside its sandbox, this leads to the proxy and nowhere else
    const response = await fetch(url, {
      redirect: 'manual',
      signal: silence.signal,
      headers: { accept, 'accept-encoding': 'identity', ...loginFor(parts, url) },
    })
    const verdict = judge(response)
    if (verdict !== 'take') return verdict?.place
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), parts.silenceMs)
      take(Buffer.from(chunk))
    }
    parts.answered()
    return { type: response.headers.get('content-type') ?? '' }
  } catch (error) {
    throw explain(error, silence.signal.aborted)
  } finally {
    clearTimeout(timer)
  }
}

function loginFor({ hosts, authorization }: AskParts, url: URL): Readonly<Record<string, string>> {
  const isIndex = hosts[0] === `${url.hostname}:${url.port || 443}`
  return isIndex && authorization !== undefined ? { authorization } : {}
}

const MISSING = new Set([404, 410])
const LOCKED = new Set([401, 403])

function judge({ status, headers }: Response): 'take' | { readonly place: string } | undefined {
  if (status === 200) return 'take'
  const place = headers.get('location')
  if (Math.floor(status / 100) === 3 && place !== null) return { place }
  if (MISSING.has(status)) return undefined
  if (LOCKED.has(status)) {
    throw new JobError('registry-login', 'the Python index does not let you in')
  }
  const isLater = status >= FAILED_FOR_NOW || status === TOO_MANY
  const why = isLater ? 'is out of order' : 'does not answer like one'
  throw new JobError('registry-unreachable', `the Python index ${why} (${status})`)
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/

/** The code of a failed request is in its cause. */
function explain(error: unknown, isSilent: boolean): JobError {
  if (error instanceof JobError) return error
  if (isFull(error)) return new JobError('disk-full', 'the disk is full', { cause: error })
  if (isSilent) {
    return new JobError('registry-unreachable', 'the Python index fell silent', { cause: error })
  }
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return CERTIFICATE.test(code)
    ? new JobError('registry-certificate', 'the certificate of the Python index is not trusted', {
        cause: error,
      })
    : new JobError('registry-unreachable', 'the connection to the Python index broke off', {
        cause: error,
      })
}
