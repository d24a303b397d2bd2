/** The way to a remote server: a guarded fetch to its own hosts, with its pinned certificate and its headers. */
import { join } from 'node:path'
import type { Egress } from '../../ports/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Files, Lease } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { HttpWay } from './http-transport.ts'

/** This machine as a URL spells it. No other name or address of this machine is ever connected to. */
const THIS_MACHINE = new Set(['localhost', '127.0.0.1', '[::1]'])

interface WayDeps {
  readonly egress: Pick<Egress, 'createFetch'>
  readonly files: Pick<Files, 'read'>
  readonly certsFolder: string
}

export async function remoteWay(deps: WayDeps, definition: ServerDefinition): Promise<HttpWay> {
  const { id, transport, dangerouslyAllowHttp = false } = definition
  const url = new URL(definition.url ?? '')
  const isHere = THIS_MACHINE.has(url.hostname)
  if ((url.protocol === 'http:' || isHere) && !dangerouslyAllowHttp) throw insecure(id, isHere)
  const pin = await deps.files.read(join(deps.certsFolder, `${id}.pem`))
  const fetch = deps.egress.createFetch({
    allowedDomains: [...new Set([url.hostname, ...definition.allowedDomains])],
    ...(pin && { pinnedCertificate: pin.toString() }),
    ...(dangerouslyAllowHttp && { dangerouslyAllowHttp }),
  })
  return { kind: transport === 'sse' ? 'sse' : 'stream-http', url, fetch }
}

/** HTTP headers from `[env]`, with its settings filled in, and from `[auth]`. */
export function headersOf(
  env: Readonly<Record<string, string>>,
  { auth }: ServerDefinition,
  lease: Lease,
): Readonly<Record<string, string>> {
  const plain = Object.entries(env).map(([key, value]) => [headerName(key), value])
  const secret = Object.keys(auth).map((key) => {
    const value = lease.value(key).toString().trim()
    // Refused here: an error of `fetch` might quote the value.
    if (!/^[\t -~]*$/.test(value)) throw notAHeader(key)
    return key === 'bearer' ? ['Authorization', `Bearer ${value}`] : [headerName(key), value]
  })
  return Object.fromEntries([...plain, ...secret]) as Record<string, string>
}

/** `header:X-Key` is the key of a header in `[env]` and `[auth]`. */
function headerName(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

function notAHeader(key: string): CordonError {
  return new CordonError(
    'servers.header',
    { exit: 2, hint: 'Store it anew with `cordon vault set NAME`, on one line' },
    `Cannot send the secret for ${JSON.stringify(key)} as a header: it is not one line of plain text`,
  )
}

function insecure(server: string, isHere: boolean): CordonError {
  const why = isHere ? 'it is said to be on this machine' : 'its address is plain http'
  return new CordonError(
    'servers.insecure',
    {
      exit: 3,
      hint: `Run \`cordon mcp edit ${server} --insecure\` where it really is a server on this machine`,
    },
    `Cannot connect to server ${JSON.stringify(server)}: ${why}`,
  )
}
