/**
 * The channel to one server: a sandboxed process, a socket of this machine, or a guarded fetch to a remote server. It
 * owns every resource that was opened for it, the lease of the secrets included, and frees them when it is disposed.
 */
import type { Transport } from '@modelcontextprotocol/client'
import type { Egress, LocalPlace } from '../../kernel/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Files, Lease, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Sandbox, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { namesIn, tunnelsIn } from '../../text/tunnel.ts'
import { isRemote } from '../../kernel/server-definition.ts'
import { explainEnd } from './failure.ts'
import { followErrors } from './follow-errors.ts'
import { createHttpTransport, type HttpWay } from './http-transport.ts'
import { fillInSettings, type LaunchSettings } from './launch-settings.ts'
import { LineTransport } from './line-transport.ts'
import type { LogRing } from './log-ring.ts'
import { headersOf, remoteWay } from './remote-way.ts'

/** How long the end of a process may trail the end of its output; its exit tells more about the reason. */
const END_GRACE_MS = 1000

export interface ChannelDeps {
  readonly sandbox: Pick<Sandbox, 'launch'>
  readonly egress: Egress
  readonly vault: Pick<Vault, 'lease'>
  readonly files: Pick<Files, 'read'>
  readonly owner: PrincipalId
  readonly certsFolder: string
  /** Whether the owner agreed that the server runs without a sandbox, exactly as it is defined now. */
  readonly isBareAllowed: (definition: ServerDefinition) => Promise<boolean>
}

interface ChannelParts {
  readonly transport: Transport
  readonly process?: SandboxedProcess
  /** Called once the connection is over: the reason, as a clause that completes "Server x …". */
  reason(): Promise<string>
  /** The last error of the guarded fetch, if any. */
  refusal?(): unknown
  /** Called before Cordon itself ends the session. */
  farewell?(): Promise<void>
}

export interface Channel extends ChannelParts, AsyncDisposable {}

interface Opening {
  readonly deps: ChannelDeps
  readonly definition: ServerDefinition
  readonly settings: LaunchSettings
  readonly ring: LogRing
  readonly lease: Lease
  /** Owns every resource that is opened. */
  readonly stack: AsyncDisposableStack
}

export async function openChannel(
  deps: ChannelDeps,
  definition: ServerDefinition,
  ring: LogRing,
  signal: AbortSignal,
): Promise<Channel> {
  await using stack = new AsyncDisposableStack()
  const settings = fillInSettings(definition)
  for (const name of settings.unused) ring.add('cordon', unusedLine(name))
  const lease = stack.use(await deps.vault.lease(deps.owner, definition.auth, signal))
  const parts = await open({ deps, definition, settings, ring, lease, stack }, signal)
  const owned = stack.move() // from here on the channel owns what was opened; the lease ends last
  return { ...parts, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function open(opening: Opening, signal: AbortSignal): Promise<ChannelParts> {
  const { deps, definition } = opening
  if (definition.transport === 'stdio') return await openProcess(opening, signal)
  if (!isRemote(definition.transport)) return await openLocal(opening, signal)
  return await openHttp(await remoteWay(deps, definition), opening)
}

async function openProcess(opening: Opening, signal: AbortSignal): Promise<ChannelParts> {
  const { deps, definition, ring, stack } = opening
  ring.begin()
  const dangerouslyUnsandboxed = await deps.isBareAllowed(definition)
  const spec = { ...launchSpec(opening), dangerouslyUnsandboxed }
  const process = stack.use(await deps.sandbox.launch(spec, signal))
  const tell = ({ message }: { readonly message: string }): void => ring.add('egress', message)
  if (process.connections) {
    const rules = { allowedDomains: namesIn(definition.allowedDomains) }
    stack.use(deps.egress.guard(definition.id, rules, process.connections, tell))
  }
  for (const source of process.tunnels) stack.use(deps.egress.tunnel(definition.id, source, tell))
  const heard = followErrors(process.stderr, ring)
  const transport = new LineTransport(process, (line) => ring.add('stdout', line))
  const reason = async (): Promise<string> => {
    if (transport.failure !== undefined) return transport.failure
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, END_GRACE_MS, undefined).unref()
    })
    const end = await Promise.race([process.ended, late])
    await Promise.race([heard, late]) // the last lines of stderr belong to the reason
    return end ? explainEnd(end, definition) : 'closed its standard output'
  }
  return { transport, process, reason }
}

/** The server already runs: another program started it, outside any sandbox of Cordon. */
async function openLocal(opening: Opening, signal: AbortSignal): Promise<ChannelParts> {
  const { deps, definition, ring, stack } = opening
  const place = placeOf(definition)
  if (definition.httpPath !== undefined) {
    const url = new URL(definition.httpPath, 'http://localhost')
    const fetch = deps.egress.createLocalFetch(place)
    return await openHttp({ kind: 'stream-http', url, fetch }, opening)
  }
  const socket = await deps.egress.connectLocal(place, signal)
  stack.defer(() => void socket.destroy())
  const ends = { stdin: socket, stdout: socket }
  const transport = new LineTransport(ends, (line) => ring.add('stdout', line))
  return { transport, reason: async () => transport.failure ?? 'closed the connection' }
}

async function openHttp(way: HttpWay, opening: Opening): Promise<ChannelParts> {
  const { definition, settings, lease, stack } = opening
  const headers = headersOf(settings.env, definition, lease)
  const { failure, ...connection } = await createHttpTransport(way, headers)
  stack.defer(() => connection.transport.close())
  return { ...connection, reason: async () => failure() ?? 'closed the connection' }
}

function placeOf(definition: ServerDefinition): LocalPlace {
  const { transport, socketPath = '', httpPath, command, auth, env } = definition
  const hasHeaders = httpPath !== undefined
  if (command !== undefined)
    throw notForSocket(definition, 'Cordon does not start it: take [server] out')
  if (!hasHeaders && Object.keys({ ...auth, ...env }).length > 0) {
    throw notForSocket(definition, 'it has an environment of its own: take [auth] and [env] out')
  }
  return { kind: transport === 'pipe' ? 'pipe' : 'socket', path: socketPath }
}

function launchSpec({ definition, settings, lease }: Opening): Parameters<Sandbox['launch']>[0] {
  const secrets = Object.keys(definition.auth).map((name) => [name, lease.value(name).toString()])
  return {
    server: definition.id,
    command: definition.command ?? '',
    args: settings.args,
    settings: definition.sandbox,
    networked: namesIn(definition.allowedDomains).length > 0,
    tunnels: tunnelsIn(definition.allowedDomains),
    environment: { ...settings.env, ...(Object.fromEntries(secrets) as Record<string, string>) },
  }
}

function unusedLine(name: string): string {
  const placeholder = `\${config.${name}}`
  return `The setting ${JSON.stringify(name)} reaches nobody: write ${placeholder} in args or under [env]`
}

function notForSocket({ id, transport }: ServerDefinition, why: string): CordonError {
  return new CordonError(
    'servers.transport',
    { exit: 2, hint: `Run \`cordon mcp show ${id}\` to see its file, and change it there` },
    `Cannot use server ${JSON.stringify(id)} over ${JSON.stringify(transport)}: ${why}`,
  )
}
