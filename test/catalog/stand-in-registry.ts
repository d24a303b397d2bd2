/**
 * A small npm registry on loopback with TLS, for behaviour that no real registry shows on demand: archives that differ
 * from their announced hash, packages with install scripts, answers that never come. Stands for `allowed.example`.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const fixtures = new URL('../attacks/proxy/fixtures/', import.meta.url)
export const AUTHORITY: string = fileURLToPath(new URL('ca.pem', fixtures))
export const HOST = 'allowed.example'

export interface StandInPackage {
  readonly name: string
  readonly version?: string
  /** Fields of the package.json besides name and version. */
  readonly description?: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, string>>
  /** Fields that replace those of the true `dist`: integrity, tarball, attestations. */
  readonly dist?: Readonly<Record<string, unknown>>
  /** Entries of its archive besides the files. */
  readonly entries?: readonly TarEntry[]
  /** These bytes instead of an archive of the files. */
  readonly archive?: Buffer
  readonly publisher?: string
  /** A date long ago by default. */
  readonly publishedAt?: string
}

/** The registry without its listener. */
export interface StandInPages {
  readonly handle: RequestListener
  /** `GET /path`, in order. */
  readonly requests: string[]
  /** Headers that carried a credential. */
  readonly credentials: string[]
  add(one: StandInPackage): string
  /** Answers this place with this JSON. */
  put(place: string, page: object): void
  /** Takes an archive away; its package is still announced. */
  forget(place: string): void
  /** Sends half of an archive from now on, and hangs up. */
  cut(place: string): void
  /** When set, answers every request instead of the registry. */
  answer: RequestListener | undefined
}

export interface StandInRegistry extends StandInPages, AsyncDisposable {
  readonly port: number
}

/** Its `add` returns the integrity of the added package's archive. */
export function createStandInPages(host: string = HOST): StandInPages {
  const documents = new Map<string, Packument>()
  const pages = new Map<string, object>()
  const archives = new Map<string, Buffer>()
  const halved = new Set<string>()
  const standIn: StandInPages = {
    handle(request, response) {
      const place = decodeURIComponent(request.url ?? '')
      standIn.requests.push(`${request.method} ${place}`)
      const { authorization, cookie } = request.headers
      standIn.credentials.push(...[authorization, cookie].filter((value) => value !== undefined))
      if (standIn.answer) return standIn.answer(request, response)
      const archive = archives.get(place)
      if (archive && halved.has(place)) return sendHalf(response, archive)
      if (archive) return void response.end(archive)
      sendJson(response, pages.get(place) ?? documents.get(place))
    },
    requests: [],
    credentials: [],
    answer: undefined,
    add(one) {
      const archive = one.archive ?? archiveOf(one)
      const { name, version = '1.0.0' } = one
      const place = `/${name}/-/${version}.tgz`
      archives.set(place, archive)
      const known = documents.get(`/${name}`)
      documents.set(`/${name}`, documentOf({ ...one, host }, archive, place, known))
      return integrityOf(archive)
    },
    put: (place, page) => void pages.set(place, page),
    cut: (place) => void halved.add(place),
    forget: (place) => void archives.delete(place),
  }
  return standIn
}

export async function openStandInRegistry(): Promise<StandInRegistry> {
  const sockets = new Set<Socket>()
  const pem = (name: string) => readFileSync(new URL(name, fixtures))
  const tls = { key: pem('server-key.pem'), cert: pem('server.pem') }
  const pages = createStandInPages()
  const server = createServer(tls, pages.handle)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(pages, {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
}

function sendHalf(response: ServerResponse, archive: Buffer): void {
  response.setHeader('content-length', archive.length)
  response.write(archive.subarray(0, archive.length / 2), () => response.destroy())
}

function sendJson(response: ServerResponse, value: object | undefined): void {
  response.statusCode = value ? 200 : 404
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(value ?? { error: 'Not found' }))
}

function descriptionOf({ name, version = '1.0.0', description = {} }: StandInPackage) {
  return { name, version, ...description }
}

interface Packument {
  readonly name: string
  readonly 'dist-tags': object
  readonly time: Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, object>>
}

function documentOf(
  one: StandInPackage & { readonly host: string },
  archive: Buffer,
  place: string,
  before?: Packument,
): Packument {
  const { name, version = '1.0.0', publisher } = one
  const tarball = `https://${one.host}${place}`
  const dist = { tarball, integrity: integrityOf(archive), ...one.dist }
  const scripts = one.description?.['scripts'] as Record<string, string> | undefined
  return {
    name,
    'dist-tags': { latest: version },
    time: { ...before?.time, [version]: one.publishedAt ?? '2026-01-02T03:04:05.000Z' },
    versions: {
      ...before?.versions,
      [version]: {
        ...descriptionOf(one),
        dist,
        ...(scripts?.['postinstall'] && { hasInstallScript: true }),
        ...(publisher && { _npmUser: { name: publisher, email: 'x@example.test' } }),
      },
    },
  }
}

export function integrityOf(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`
}

const BLOCK = 512

export function archiveOf(one: StandInPackage): Buffer {
  const files = { 'package.json': JSON.stringify(descriptionOf(one)), ...one.files }
  const blocks = Object.entries(files).map(([name, text]) =>
    tarEntry({ name: name.startsWith('//') ? name.slice(1) : `package/${name}` }, text),
  )
  const more = (one.entries ?? []).map((entry) => tarEntry(entry))
  return gzipSync(Buffer.concat([...blocks, ...more, Buffer.alloc(2 * BLOCK)]))
}

export interface TarEntry {
  /** As it stands in the archive. */
  readonly name: string
  /** `0` a file, `1` a hard link, `2` a symbolic link, `3` a device, `x` a PAX note, `L` a GNU one; `END` an end mark, `SUM` a wrong sum. */
  readonly type?: string
  readonly link?: string
  readonly text?: string
}

export function tarEntry(entry: TarEntry, text: string = entry.text ?? ''): Buffer {
  if (entry.type === 'END') return Buffer.alloc(BLOCK)
  if (entry.type === 'SUM') return tarHeader({ name: entry.name }, 0).fill('9', 148, 154)

  const content = Buffer.from(text)
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
  return Buffer.concat([tarHeader(entry, content.length), content, padding])
}

function tarHeader({ name, type = '0', link = '' }: TarEntry, size: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const put = (text: string, at: number) => header.write(text, at, 'latin1')
  put(name, 0)
  put('0000644\0', 100)
  put('0000000\0', 108)
  put('0000000\0', 116)
  put(`${size.toString(8).padStart(11, '0')}\0`, 124)
  put('00000000000\0', 136)
  put(type, 156)
  put(link, 157)
  put('ustar\x0000', 257)
  return sealHeader(header)
}

/** Writes the sum of an entry's header. */
export function sealHeader(entry: Buffer): Buffer {
  entry.fill(' ', 148, 156)
  const sum = entry.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0)
  entry.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return entry
}
