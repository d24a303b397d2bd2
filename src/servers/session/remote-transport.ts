/**
 * The SDK's transports for remote servers over the guarded fetch: the hosts of the definition, its headers, its pinned
 * certificate. A token travels in a header and nowhere else. An answer without an end is cut off.
 */
import { join } from 'node:path'
import type { Transport } from '@modelcontextprotocol/client'
import type { Egress } from '../../kernel/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Files, Lease } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'

/** As long as a line from a local server may be. */
const HELD_BYTES = 16 * 2 ** 20

interface RemoteRooms {
  readonly egress: Pick<Egress, 'createFetch'>
  readonly files: Pick<Files, 'read'>
  readonly certsFolder: string
}

export async function createRemoteTransport(
  rooms: RemoteRooms,
  definition: ServerDefinition,
  lease: Lease,
): Promise<Transport> {
  const { StreamableHTTPClientTransport, SSEClientTransport } = await import(
    '@modelcontextprotocol/client'
  )
  const url = new URL(definition.url ?? '')
  const pin = await rooms.files.read(join(rooms.certsFolder, `${definition.id}.pem`))
  const guarded = rooms.egress.createFetch({
    allowedDomains: [...new Set([url.hostname, ...definition.allowedDomains])],
    ...(pin && { pinnedCertificate: pin.toString() }),
  })
  const options = {
    fetch: async (target: string | URL, init?: RequestInit) =>
      limitBody(await guarded(target, init)),
    requestInit: { headers: headersOf(definition, lease) },
  }
  return definition.transport === 'sse'
    ? new SSEClientTransport(url, options)
    : new StreamableHTTPClientTransport(url, options)
}

function headersOf({ env, auth }: ServerDefinition, lease: Lease): Record<string, string> {
  const plain = Object.entries(env).map(([key, value]) => [headerName(key), value])
  const secret = Object.keys(auth).map((key) => {
    const value = lease.value(key).toString().trim()
    // Refused here: whoever else refuses it may repeat the value.
    if (!/^[\t -~]*$/.test(value)) throw notAHeader(key)
    return key === 'bearer' ? ['Authorization', `Bearer ${value}`] : [headerName(key), value]
  })
  return Object.fromEntries([...plain, ...secret]) as Record<string, string>
}

function notAHeader(key: string): CordonError {
  return new CordonError(
    'servers.header',
    { exit: 2, hint: 'Store it anew with `cordon vault set NAME`, on one line' },
    `Cannot send the secret for ${JSON.stringify(key)} as a header: it is not one line of plain text`,
  )
}

/** `header:X-Key` is the key of a header in `[env]` and `[auth]`. */
function headerName(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

/** Passes the body on. What the SDK would have to hold at once is bounded: a document, or one event of a stream. */
function limitBody(response: Response): Response {
  if (!response.body) return response
  const { status, statusText, headers } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  let held = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      held = isStream && endsEvent(chunk) ? 0 : held + chunk.length
      if (held > HELD_BYTES) controller.error(new Error('The answer is larger than 16 MiB'))
      else controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
}

/** A blank line ends an event; servers send it together with what it ends. */
function endsEvent(chunk: Uint8Array): boolean {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  return bytes.includes('\n\n') || bytes.includes('\n\r\n')
}
