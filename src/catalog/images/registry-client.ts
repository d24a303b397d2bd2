/**
 * Requests to a registry of images (OCI distribution), from inside the install sandbox: the only way out is the proxy,
 * which reaches the listed hosts and no other. A token is asked for where the registry wants one, without any login, and
 * sent to the registry alone. Redirects are followed to listed hosts only. Every byte is compared with its digest.
 */
import { createHash } from 'node:crypto'
import { fetchToFile, isFull } from '../install/fetch-to-file.ts'
import { readChallenge } from './challenge.ts'
import { Elsewhere, ImageError } from './image-error.ts'
import type { Descriptor, ImageJob } from './image-job.ts'
import { parseObject } from './parse-object.ts'

export interface RegistryClient {
  /** The bytes of a manifest by tag or digest, at most a few megabytes. */
  manifest(reference: string): Promise<{ readonly bytes: Buffer; readonly type: string }>
  /** A small blob, compared with its digest. */
  text(blob: Descriptor): Promise<Buffer>
  /** Writes a blob to a file, compared with its digest. */
  file(blob: Descriptor, target: string): Promise<void>
}

type Take = (chunk: Buffer) => void
type ClientJob = Pick<ImageJob, 'registry' | 'repository' | 'hosts' | 'silenceMs'>

const MOST_REDIRECTS = 5
const LARGEST_TEXT = 4 * 2 ** 20
const LARGEST_TOKEN = 2 ** 20
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')

export function createRegistryClient(job: ClientJob, answered: () => void): RegistryClient {
  const session = { job, answered, token: '' }
  const base = `${job.registry}/v2/${job.repository}`
  const whole = async (url: string, accept: string, most: number) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > most) throw new ImageError('bad-package', 'the registry sends too much')
      chunks.push(chunk)
    }
    const type = await ask(session, url, accept, take)
    return { bytes: Buffer.concat(chunks), type }
  }
  return {
    manifest: (reference) =>
      twice(() => whole(`${base}/manifests/${reference}`, MANIFESTS, LARGEST_TEXT)),
    async text(blob) {
      const most = Math.min(LARGEST_TEXT, blob.size)
      const { bytes } = await twice(() => whole(`${base}/blobs/${blob.digest}`, '*/*', most))
      compare(blob, sha256(bytes), bytes.length)
      return bytes
    },
    file: (blob, target) =>
      twice(() => fetchFile(session, `${base}/blobs/${blob.digest}`, blob, target)),
  }
}

export function sha256(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function compare(blob: Descriptor, digest: string, size: number): void {
  if (size < blob.size) throw brokenOff()
  if (digest !== blob.digest || size !== blob.size) {
    throw new ImageError('integrity', 'the registry sends other bytes than the digest says')
  }
}

function brokenOff(cause?: unknown): ImageError {
  return new ImageError('registry-unreachable', 'the connection to the registry broke off', {
    cause,
  })
}

interface Session {
  readonly job: ClientJob
  readonly answered: () => void
  /** Of the registry; empty: none yet. */
  token: string
}

async function fetchFile(
  session: Session,
  url: string,
  blob: Descriptor,
  target: string,
): Promise<void> {
  const tooMuch = (): Error => new ImageError('integrity', 'the registry sends too much')
  const place = { target, mostBytes: blob.size, tooMuch }
  const found = await fetchToFile(place, (take) => ask(session, url, '*/*', take))
  compare(blob, `sha256:${found.sha256}`, found.bytes)
}

/** A connection that broke may be bad luck. An answer is an answer. */
async function twice<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ImageError) || error.problem !== 'registry-unreachable') throw error
    return await run()
  }
}

/** Follows redirects, and gets a token once. Returns the type of the content. */
async function ask(session: Session, first: string, accept: string, take: Take): Promise<string> {
  let url = allowed(session.job, first)
  let isAsked = false
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const answer = await request(session, url, accept, take)
    if (answer.kind === 'taken') return answer.type
    if (answer.kind === 'moved')
      url = allowed(session.job, URL.parse(answer.to, url.href)?.href ?? '')
    else if (isAsked) throw locked()
    else {
      isAsked = true
      session.token = await askToken(session, answer.challenge)
    }
  }
  throw new ImageError('registry-unreachable', 'the registry redirects in a circle')
}

function locked(): ImageError {
  return new ImageError('registry-login', 'the registry does not give it to everybody')
}

function allowed({ hosts }: ClientJob, address: string): URL {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new ImageError('bad-package', 'the registry leads to an address that is not https')
  }
  if (!hosts.includes(`${url.hostname}:${url.port || 443}`)) throw new Elsewhere(url)
  return url
}

async function askToken(session: Session, header: string): Promise<string> {
  const { job } = session
  const challenge = readChallenge(header)
  if (!challenge) throw locked()
  const url = new URL(allowed(job, challenge.realm))
  if (challenge.service !== undefined) url.searchParams.set('service', challenge.service)
  url.searchParams.set('scope', `repository:${job.repository}:pull`)
  const chunks: Buffer[] = []
  let size = 0
  const plain = { ...session, token: '' }
  const answer = await request(plain, url, 'application/json', (chunk) => {
    size += chunk.length
    if (size > LARGEST_TOKEN) throw new ImageError('bad-package', 'the registry sends too much')
    chunks.push(chunk)
  })
  if (answer.kind !== 'taken') throw locked()
  const found = parseObject(Buffer.concat(chunks), 'its tokens')
  const token = found['token'] ?? found['access_token']
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(token)) throw locked()
  return token
}

type Answer =
  | { readonly kind: 'taken'; readonly type: string }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'locked'; readonly challenge: string }

async function request(
  { job, answered, token }: Session,
  url: URL,
  accept: string,
  take: Take,
): Promise<Answer> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), job.silenceMs)
  const isRegistry = job.hosts[0] === `${url.hostname}:${url.port || 443}`
  try {
    // oxlint-disable-next-line no-restricted-globals -- inside its sandbox, this leads to the proxy and nowhere else
    const response = await fetch(url, {
      redirect: 'manual',
      signal: silence.signal,
      headers: {
        accept,
        'accept-encoding': 'identity',
        ...(isRegistry && token !== '' && { authorization: `Bearer ${token}` }),
      },
    })
    const answer = judge(response)
    if (answer.kind !== 'taken') return answer
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), job.silenceMs)
      take(Buffer.from(chunk))
    }
    answered()
    return answer
  } catch (error) {
    throw explain(error, silence.signal.aborted)
  } finally {
    clearTimeout(timer)
  }
}

const FAILED_FOR_NOW = 500
const TOO_MANY = 429

function judge({ status, headers }: Response): Answer {
  const named = (name: string): string => headers.get(name) ?? ''
  if (status === 200) return { kind: 'taken', type: named('content-type') }
  if (status === 401) return { kind: 'locked', challenge: named('www-authenticate') }
  if (Math.floor(status / 100) === 3) return { kind: 'moved', to: named('location') }
  if (status === 403) throw locked()
  if (status === 404) throw new ImageError('no-such-package', 'the registry has no such image')
  const isLater = status >= FAILED_FOR_NOW || status === TOO_MANY
  const why = isLater ? 'is out of order' : 'does not answer like one'
  throw new ImageError('registry-unreachable', `the registry ${why} (${status})`)
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/

/** The code of a failed request is in its cause. */
function explain(error: unknown, isSilent: boolean): unknown {
  if (error instanceof ImageError || error instanceof Elsewhere) return error
  if (isFull(error)) return new ImageError('disk-full', 'the disk is full', { cause: error })
  if (isSilent) return new ImageError('registry-unreachable', 'the registry fell silent')
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (!CERTIFICATE.test(code)) return brokenOff(error)
  return new ImageError('registry-certificate', 'the certificate of the registry is not trusted')
}
