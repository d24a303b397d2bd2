/**
 * The channel to one server: a sandboxed process, a socket of this machine, or a guarded fetch to a remote server. It
 * owns every resource that was opened for it, the lease of the secrets included, and frees them when it is disposed.
 */
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Transport } from '@modelcontextprotocol/client'
import type { BlockedAttempt, Egress, LocalPlace, Seal } from '../../ports/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Noticing } from '../../ports/notice-port.ts'
import type { Files, Lease, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Sandbox, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { namesIn, tunnelsIn } from '../../text/tunnel.ts'
import { isRemote } from '../../kernel/server-definition.ts'
import { explainEnd } from './failure.ts'
import { followErrors } from './follow-errors.ts'
import type { HttpOddity } from './http-oddity.ts'
import { createHttpTransport, type HttpWay } from './http-transport.ts'
import { fillInSettings, type LaunchSettings } from './launch-settings.ts'
import { LineTransport } from './line-transport.ts'
import type { LogRing } from './log-ring.ts'
import { followMessages } from './message-log.ts'
import { nameIn } from './name-in.ts'
import { ownPlace, untilListening } from './until-listening.ts'
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
  readonly startMs: number
  readonly notices: Noticing
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
  /** The answer to the last request over HTTP, if it was no MCP message. */
  oddity?(): HttpOddity | undefined
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
  followMessages(parts.transport, ring.protocol)
  const owned = stack.move() // from here on the channel owns what was opened; the lease ends last
  return { ...parts, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function open(opening: Opening, signal: AbortSignal): Promise<ChannelParts> {
  const { deps, definition } = opening
  if (definition.transport === 'stdio') return await openProcess(opening, signal)
  if (definition.command !== undefined) return await openOwnSocket(opening, signal)
  if (!isRemote(definition.transport)) return await openLocal(opening, signal)
  return await openHttp(await remoteWay(deps, definition), opening)
}

async function openProcess(opening: Opening, signal: AbortSignal): Promise<ChannelParts> {
  const { process, heard } = await startProcess(opening, signal)
  const { definition, ring } = opening
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

/** The server is started as any other, and then connected to on the socket that it makes in its sandbox. */
async function openOwnSocket(opening: Opening, signal: AbortSignal): Promise<ChannelParts> {
  const { deps, definition, ring, stack } = opening
  const { process } = await startProcess(opening, signal)
  const listening = { process, definition, ring, startMs: deps.startMs }
  const socket = await untilListening(deps.egress, listening, signal)
  const reason = async (): Promise<string> => {
    const end = await Promise.race([process.ended, delay(END_GRACE_MS, undefined, { ref: false })])
    return end ? explainEnd(end, definition) : 'closed the connection'
  }
  if (definition.httpPath === undefined) {
    stack.defer(() => void socket.destroy())
    const ends = { stdin: socket, stdout: socket }
    const transport = new LineTransport(ends, (line) => ring.add('stdout', line))
    return { transport, process, reason: async () => transport.failure ?? (await reason()) }
  }
  socket.destroy()
  const url = new URL(definition.httpPath, 'http://localhost')
  const fetch = deps.egress.createLocalFetch(ownPlace(process, definition))
  const parts = await openHttp({ kind: 'stream-http', url, fetch }, opening)
  void process.ended.then(() => parts.transport.close())
  return { ...parts, process, reason }
}

async function startProcess(
  opening: Opening,
  signal: AbortSignal,
): Promise<{ readonly process: SandboxedProcess; readonly heard: Promise<void> }> {
  const { deps, definition, ring, stack } = opening
  ring.begin()
  const dangerouslyUnsandboxed = await deps.isBareAllowed(definition)
  const seal = sealFor(opening)
  const spec = { ...launchSpec(opening, seal), dangerouslyUnsandboxed }
  const process = stack.use(await deps.sandbox.launch(spec, signal))
  const tell = ({ message, host, unreached }: BlockedAttempt): void => {
    ring.add('egress', message)
    if (unreached !== undefined) ring.miss(unreached)
    if (host === undefined) return
    ring.block(host)
    deps.notices.raise('blocked', nameIn(definition.id), [host])
  }
  const { connections, tunnels } = process
  const rules = { allowedDomains: namesIn(definition.allowedDomains), ...(seal && { seal }) }
  const ways = [
    ...(connections ? [deps.egress.guard(definition.id, rules, connections, tell)] : []),
    ...tunnels.map((source) => deps.egress.tunnel(definition.id, source, tell)),
  ]
  for (const way of ways) stack.use(way)
  ring.countTraffic(() => ways.flatMap(({ reached }) => reached))
  return { process, heard: followErrors(process.stderr, ring) }
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
  const { definition, settings, ring, lease, stack } = opening
  const headers = headersOf(settings.env, definition, lease)
  const note = (text: string): void => ring.add('cordon', text)
  const { failure, ...connection } = await createHttpTransport(way, headers, note)
  stack.defer(() => connection.transport.close())
  return { ...connection, reason: async () => failure() ?? 'closed the connection' }
}

function placeOf(definition: ServerDefinition): LocalPlace {
  const { transport, socketPath = '', httpPath, auth, env } = definition
  const hasHeaders = httpPath !== undefined
  if (!hasHeaders && Object.keys({ ...auth, ...env }).length > 0) {
    throw notForSocket(definition, 'it has an environment of its own: take [auth] and [env] out')
  }
  return { kind: transport === 'pipe' ? 'pipe' : 'socket', path: socketPath }
}

/** Undefined if the server holds all its credentials itself. */
function sealFor({ deps, definition: { sealed }, lease }: Opening): Seal | undefined {
  if (!sealed) return undefined
  const credentials = Object.entries(sealed).map(([name, hosts]) => {
    return { name, hosts, value: () => lease.value(name) }
  })
  return deps.egress.createSeal(credentials)
}

function launchSpec(
  { definition, settings, lease }: Opening,
  seal: Seal | undefined,
): Parameters<Sandbox['launch']>[0] {
  const placeholders = new Map(seal?.credentials.map((one) => [one.name, one.placeholder]))
  const secrets = Object.keys(definition.auth).map((name) => {
    return [name, placeholders.get(name) ?? lease.value(name).toString()]
  })
  return {
    ...(seal && { authority: seal.authority.certificate }),
    server: definition.id,
    command: definition.command ?? '',
    args: settings.args,
    settings: definition.sandbox,
    // Also without any allowed host: the proxy then refuses them all, and tells which ones were tried.
    networked: true,
    tunnels: tunnelsIn(definition.allowedDomains),
    ...socketFor(definition),
    environment: {
      ...(definition.httpPath === undefined && { ...settings.env, ...Object.fromEntries(secrets) }),
      ...(definition.transport === 'uds' && { MCP_SOCKET: definition.socketPath ?? '' }),
    } as Record<string, string>,
  }
}

/** The sandbox shows the folder of its socket; over HTTP its settings and secrets are headers, not variables. */
function socketFor({ transport, socketPath = '' }: ServerDefinition): { socketsAt?: string } {
  return transport === 'uds' ? { socketsAt: dirname(socketPath) } : {}
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
