/**
 * One MCP session with one server, from launch to end, in whichever era the server speaks. What a server says is handed
 * on as it came: limits, schemas and labels are the caller's.
 */
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client'
import { CordonError } from '../../kernel/error.ts'
import type { Json } from '../../kernel/json.ts'
import type { SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ProtocolEra } from '../../kernel/server-state.ts'
import { isRemote } from '../definition-rules.ts'
import {
  ConnectionLost,
  endedOnProbe,
  explainHandshake,
  isAnsweredNo,
  isConnectionLost,
  isTimeout,
  lastWords,
  ServerFailure,
} from './failure.ts'
import type { LogRing } from './log-ring.ts'
import { AS_IT_CAME, connectClient, type Elicit, type EraChoice, eraOf } from './mcp-client.ts'
import { type Channel, type ChannelRooms, openChannel } from './open-channel.ts'
import { type RawTool, readToolList } from './tool-list.ts'

const HEALTH_MS = 10_000
const PROGRESS_FACTOR = 10
const LAST_LINES = 5

export interface SessionRooms extends ChannelRooms {
  readonly elicit?: Elicit | undefined
  readonly redact: (text: string) => string
  readonly startMs: number
  readonly callMs: number
}

export interface Session extends AsyncDisposable {
  readonly era: ProtocolEra
  readonly prior: PriorDiscovery
  readonly protocolVersion: string | undefined
  readonly reportedVersion: string | undefined
  readonly process: SandboxedProcess | undefined
  /** The tools as they were when the session began. */
  readonly tools: readonly RawTool[]
  /** Settles when the session is over, with the reason; never rejects. */
  readonly ended: Promise<string>
  listTools(): Promise<readonly RawTool[]>
  call(tool: RawTool, args: Readonly<Record<string, Json>>, signal: AbortSignal): Promise<Json>
  /** Throws when the server does not answer. */
  checkHealth(): Promise<void>
  onToolsChanged(listener: () => void): void
}

export interface SessionOptions {
  readonly definition: ServerDefinition
  readonly ring: LogRing
  /** How it spoke last time, where that is known. */
  readonly prior: PriorDiscovery | undefined
}

export async function openSession(
  rooms: SessionRooms,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<Session> {
  const open = (era: EraChoice): Promise<Session> => openInEra(rooms, options, era, signal)
  const ask = (): Promise<Session> =>
    open('auto').catch((error: unknown) => {
      const cause = error instanceof ServerFailure ? error.cause : undefined
      if (signal.aborted || !endedOnProbe(cause)) throw error
      return open({ kind: 'legacy' })
    })
  const { prior } = options
  if (!prior) return await ask()
  return await open(prior).catch((error: unknown) => {
    const cause = error instanceof ServerFailure ? error.cause : undefined
    if (signal.aborted || !isAnsweredNo(cause)) throw error
    return ask()
  })
}

async function openInEra(
  rooms: SessionRooms,
  { definition, ring }: SessionOptions,
  era: EraChoice,
  signal: AbortSignal,
): Promise<Session> {
  await using stack = new AsyncDisposableStack()
  const channel = stack.use(await openChannel(rooms, definition, ring, signal))
  const ended = Promise.withResolvers<string>()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have no other way
  channel.transport.onclose = () => void channel.reason().then(ended.resolve)
  const { startMs, elicit, redact } = rooms
  const late = AbortSignal.any([signal, AbortSignal.timeout(startMs)])
  // The SDK waits for its probe whatever the signal says; hanging up ends that as well.
  const hangUp = (): void => void channel.transport.close()
  late.addEventListener('abort', hangUp, { once: true })
  try {
    const settings = { server: definition.id, elicit, startMs }
    const client = await connectClient(channel.transport, era, settings, late)
    const list = (): Promise<readonly RawTool[]> => listTools(client, redact, startMs)
    const parts = { tools: await list(), ended: ended.promise, listTools: list }
    const owned = stack.move()
    return { ...describe(rooms, definition, channel, client), ...parts, ...disposal(owned, client) }
  } catch (cause) {
    throw await failureOf(cause, { channel, ring, redact, startMs, late, signal })
  } finally {
    late.removeEventListener('abort', hangUp)
  }
}

function disposal(owned: AsyncDisposableStack, client: Client): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await client.close().catch(() => undefined)
      await owned.disposeAsync()
    },
  }
}

type Description = Omit<Session, 'tools' | 'ended' | 'listTools' | typeof Symbol.asyncDispose>

function describe(
  { callMs }: SessionRooms,
  definition: ServerDefinition,
  channel: Channel,
  client: Client,
): Description {
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy'
  const remote = isRemote(definition.transport)
  // A server that tells of its progress gets more time, but not for ever.
  const patience = {
    timeout: callMs,
    onprogress: () => undefined,
    resetTimeoutOnProgress: true,
    maxTotalTimeout: PROGRESS_FACTOR * callMs,
  }
  return {
    era,
    prior: eraOf(client),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    reportedVersion: client.getServerVersion()?.version,
    process: channel.process,
    async call(tool, args, signal) {
      if (!client.transport) throw new ConnectionLost()
      const params = { name: tool.name, arguments: args }
      const options = { ...patience, signal }
      if (!remote)
        return await client.request({ method: 'tools/call', params }, AS_IT_CAME, options)
      // Remote servers want some arguments repeated as headers, which only this way does.
      const toolDefinition = { name: tool.name, inputSchema: tool['inputSchema'] } as never
      return (await client.callTool(params, { ...options, toolDefinition })) as unknown as Json
    },
    async checkHealth() {
      const options = { timeout: HEALTH_MS }
      await (era === 'modern' ? client.discover(options) : client.ping(options))
    },
    onToolsChanged(listener) {
      client.setNotificationHandler('notifications/tools/list_changed', listener)
      const listens = era === 'modern' && client.getServerCapabilities()?.tools?.listChanged
      // Without the subscription the session works all the same; the next start lists anew.
      if (listens) void client.listen({ toolsListChanged: true }).catch(() => undefined)
    },
  }
}

async function listTools(
  client: Client,
  redact: (text: string) => string,
  timeout: number,
): Promise<readonly RawTool[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const ask = async (cursor: string | undefined): Promise<unknown> => {
    if (!client.transport) throw new ConnectionLost()
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
    return await client.request(request, AS_IT_CAME, { timeout })
  }
  return await readToolList(ask, redact)
}

interface Attempt {
  readonly channel: Channel
  readonly ring: LogRing
  readonly redact: (text: string) => string
  readonly startMs: number
  readonly late: AbortSignal
  readonly signal: AbortSignal
}

/** What the process says about its end is worth more than what the broken connection says. */
async function failureOf(cause: unknown, attempt: Attempt): Promise<unknown> {
  const { channel, ring, redact, startMs, late, signal } = attempt
  if (cause instanceof CordonError || signal.aborted) return cause
  const isOver = !late.aborted && (isConnectionLost(cause) || endedOnProbe(cause))
  const isLate = late.aborted || isTimeout(cause)
  const reason = isOver
    ? await channel.reason()
    : explainHandshake(cause, isLate ? startMs : undefined)
  return new ServerFailure(redact(reason) + lastWords(ring.last(LAST_LINES)), { cause })
}
