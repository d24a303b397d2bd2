/**
 * The programs that may ask for a sign-in: registered by themselves (RFC 7591), or described by a document at the https
 * address that is their client id (CIMD). Only redirects to this machine are taken: to a loopback address (RFC 8252
 * section 7.3), or to the scheme of a known program (section 7.1). Everything a program says about itself is a claim.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Notes } from '../../kernel/ports.ts'
import { programOfScheme } from '../../text/program-of-scheme.ts'
import { readAtMost } from '../../text/read-at-most.ts'
import { OAuthError } from './oauth-error.ts'

export interface Program {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: readonly string[]
  /** The host of the document that describes it. */
  readonly publisher?: string
}

export interface ProgramDeps {
  readonly notes: Notes
  /** Reaches this one host, over TLS, at a public address. */
  readonly fetchFrom: (host: string) => typeof globalThis.fetch
  readonly now: () => number
}

const KIND = 'oauth-program'
const MOST_PROGRAMS = 100
const LARGEST_DOCUMENT = 64 * 1024
const DOCUMENT_MS = 10_000

const metadata = z.object({
  client_name: z.string().max(200).optional(),
  redirect_uris: z.array(z.string().max(2000)).min(1).max(20),
  token_endpoint_auth_method: z.string().optional(),
})
const described = metadata.extend({ client_id: z.string() })

const Stored: z.ZodType<Program & { readonly createdAt: number }> = z.object({
  clientId: z.string(),
  name: z.string(),
  redirectUris: z.array(z.string()),
  createdAt: z.number(),
})

/** Dynamic registration. The client is public: it gets an id and no secret. */
export async function registerProgram(deps: ProgramDeps, input: unknown): Promise<Program> {
  const parsed = metadata.safeParse(input)
  if (!parsed.success) throw new OAuthError('invalid_client_metadata', 'redirect_uris is needed')
  const { client_name: name, redirect_uris: uris, token_endpoint_auth_method: auth } = parsed.data
  if (auth !== undefined && auth !== 'none') {
    throw new OAuthError('invalid_client_metadata', 'Only public clients are registered: use none')
  }
  const program = { clientId: randomUUID(), name: nameOf(name), redirectUris: takenOf(uris) }
  const stored = (await deps.notes.list(KIND)).map(({ content }) =>
    Stored.parse(JSON.parse(content)),
  )
  const oldest = stored.toSorted((a, b) => a.createdAt - b.createdAt)
  for (const { clientId } of oldest.slice(0, Math.max(0, stored.length - MOST_PROGRAMS + 1))) {
    await deps.notes.remove(KIND, clientId)
  }
  const content = JSON.stringify({ ...program, createdAt: deps.now() })
  await deps.notes.put(KIND, program.clientId, content)
  return program
}

export async function findProgram(deps: ProgramDeps, clientId: string): Promise<Program> {
  if (clientId.startsWith('https://')) return await describedProgram(deps, clientId)
  const rows = await deps.notes.list(KIND)
  const row = rows.find(({ id }) => id === clientId)
  if (row) return Stored.parse(JSON.parse(row.content))
  throw new OAuthError('invalid_client', 'This program is not registered')
}

/** The document has to name its own address, and is never followed elsewhere. */
async function describedProgram(deps: ProgramDeps, clientId: string): Promise<Program> {
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined
  if (!url || url.href !== clientId || url.username || url.hash || url.pathname === '/') {
    throw new OAuthError('invalid_client', 'The client id is no address of a document')
  }
  const parsed = described.safeParse(await readDocument(deps, url))
  if (!parsed.success || parsed.data.client_id !== clientId) {
    throw new OAuthError('invalid_client', 'The document at the client id does not describe it')
  }
  const { client_name: name, redirect_uris: uris } = parsed.data
  return { clientId, name: nameOf(name), redirectUris: takenOf(uris), publisher: url.host }
}

async function readDocument({ fetchFrom }: ProgramDeps, url: URL): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(DOCUMENT_MS)
    const response = await fetchFrom(url.hostname)(url, { redirect: 'error', signal })
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`)
    const bytes = await readAtMost(response.body, LARGEST_DOCUMENT)
    return bytes && JSON.parse(bytes.toString())
  } catch {
    throw new OAuthError('invalid_client', 'The document at the client id cannot be read')
  }
}

/** Any port of a loopback address counts (RFC 8252 section 7.3); everything else is exact. */
export function isRegistered({ redirectUris }: Program, wanted: string): boolean {
  if (programOfScheme(wanted) !== undefined) return redirectUris.includes(wanted)
  if (!isLoopback(wanted)) return false
  return redirectUris.some((uri) => isLoopback(uri) && withoutPort(uri) === withoutPort(wanted))
}

function withoutPort(uri: string): string {
  const url = new URL(uri)
  url.port = ''
  return url.href
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

function isLoopback(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname, username, password, hash } = new URL(uri)
  const isPlain = username === '' && password === '' && hash === '' && !uri.includes('#')
  return protocol === 'http:' && LOOPBACK.has(hostname) && isPlain
}

/**
 * The redirects that are taken. Programs list others too, such as a page of theirs on the web; RFC 7591 section 2 lets the
 * server register fewer than were asked for.
 */
function takenOf(uris: readonly string[]): readonly string[] {
  const taken = uris.filter((uri) => isLoopback(uri) || programOfScheme(uri) !== undefined)
  if (taken.length > 0) return taken
  throw new OAuthError('invalid_redirect_uri', 'Only redirects to this machine are taken')
}

function nameOf(name: string | undefined): string {
  // \p{C}: control characters and those that turn the direction of the text.
  const plain = (name ?? '').replace(/\p{C}/gu, ' ')
  return plain.trim().slice(0, 80) || 'A program without a name'
}
