/**
 * One MCP session with one server, from launch to end, in either protocol era. Results are returned as they came: the
 * caller applies limits, schemas and labels.
 */
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client'
import type { AskerOf, Elicit } from '../../kernel/elicitation.ts'
import type { Json } from '../../text/json.ts'
import { isAbove } from '../../labels/label.ts'
import type { SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ProtocolEra } from '../../kernel/server-state.ts'
import { isRemote, type ServerDefinition } from '../../kernel/server-definition.ts'
import { CallClocks } from './call-clocks.ts'
import { DirectCalls } from './direct-calls.ts'
import {
  ConnectionLost,
  endedOnProbe,
  isAnsweredNo,
  isErrorAnswer,
  isNoSuchEndpoint,
  ServerFailure,
} from './failure.ts'
import { LineTransport } from './line-transport.ts'
import type { LogRing } from './log-ring.ts'
import { AS_IT_CAME, connectClient, type EraChoice, eraOf, requestWithin } from './mcp-client.ts'
import { type Channel, type ChannelDeps, openChannel } from './open-channel.ts'
import { createElicitationHandler } from './elicitation-handler.ts'
import { requestFor } from './feature-tools.ts'
import { SessionFeatures } from './session-features.ts'
import { noteShownPlaces } from './shown-places.ts'
import { startFailure } from './start-failure.ts'
import { type RawTool, readToolList, type ToolList } from './tool-list.ts'
import { ToolLists } from './tool-lists.ts'

const HEALTH_MS = 10_000
const LEGACY: EraChoice = { kind: 'legacy' }

export interface SessionDeps extends ChannelDeps {
  readonly elicit?: Elicit | undefined
  readonly askerOf?: AskerOf | undefined
  readonly redact: (text: string) => string
  readonly startMs: number
  readonly probeMs: number
  readonly callMs: number
}

interface OpenSession extends AsyncDisposable {
  readonly era: ProtocolEra
  readonly prior: PriorDiscovery
  readonly protocolVersion: string | undefined
  readonly reportedVersion: string | undefined
  /** The server's instructions for a model. Scanned for suspicious text, and never given to a model. */
  readonly instructions: string | undefined
  readonly process: SandboxedProcess | undefined
  /** The tools as they were when the session began. */
  readonly tools: readonly RawTool[]
  /** Sentences about tools of the last list that cannot be used. */
  readonly leftOut: readonly string[]
  /** Settles when the session is over, with the reason; never rejects. */
  readonly ended: Promise<string>
  listTools(): Promise<readonly RawTool[]>
  call(
    tool: RawTool,
    args: Readonly<Record<string, Json>>,
    signal: AbortSignal,
    beside: CallBeside,
  ): Promise<Json>
  /** Throws when the server does not answer. */
  checkHealth(): Promise<void>
  /** How long later calls may take without progress. */
  limitCalls(callMs: number): void
  readonly features: SessionFeatures
}

export interface CallBeside {
  readonly callId: string
  readonly onProgress?: ((params: unknown) => void) | undefined
  readonly trace?: string | undefined
}

export interface Session extends OpenSession {
  /** Whether a folder or file that was shown to the server was removed or replaced since. */
  hasLostPlaces(): boolean | Promise<boolean>
}

export interface SessionOptions {
  readonly definition: ServerDefinition
  readonly ring: LogRing
  /** The protocol era of the last session, if known. */
  readonly prior: Promise<PriorDiscovery | undefined>
}

export async function openSession(
  deps: SessionDeps,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<Session> {
  options.prior.catch(() => undefined) // awaited once the places are noted, and by SSE never
  const places = await noteShownPlaces(options.definition)
  const session = await openInAnyEra(deps, options, signal)
  return Object.assign(session, { hasLostPlaces: () => places.areLost() })
}

async function openInAnyEra(
  deps: SessionDeps,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<OpenSession> {
  const { definition, prior } = options
  const open = (era: Era, transport = definition.transport): Promise<OpenSession> =>
    openInEra(deps, { ...options, definition: { ...definition, transport } }, era, signal)
  const orElse: OrElse = async (first, isHelped, tryOther) => {
    return await first.catch((error: unknown) => {
      const cause = error instanceof ServerFailure ? error.cause : undefined
      if (signal.aborted || !isHelped(cause)) throw error
      return tryOther()
    })
  }
  if (definition.transport === 'sse') return await open(LEGACY) // HTTP+SSE exists in the legacy era only
  const ask = (asked: Promise<OpenSession>) => orElse(asked, endedOnProbe, () => open(LEGACY))
  // The server is launched while its stored era is read from disk.
  const era = prior.then((known) => known ?? 'auto')
  era.catch(() => undefined) // awaited in `openInEra`, after the launch
  const first = open(era)
  first.catch(() => undefined) // awaited below
  const known = await prior.catch(async (error: unknown) => {
    await first.catch(() => undefined) // the launched server must have ended
    throw error
  })
  const found = known ? orElse(first, isAnsweredNo, () => ask(open('auto'))) : ask(first)
  if (definition.transport !== 'stream-http') return await found
  // Perhaps an older server, of HTTP+SSE; if that fails too, the first error tells more.
  return await orElse(found, isNoSuchEndpoint, () => open(LEGACY, 'sse').catch(() => found))
}

/** May be a promise: the era is needed only once the server is launched. */
type Era = EraChoice | Promise<EraChoice>

/** Tries another way to connect if the failure of the first suggests it. */
type OrElse = (
  first: Promise<OpenSession>,
  isHelped: (cause: unknown) => boolean,
  tryOther: () => Promise<OpenSession>,
) => Promise<OpenSession>

async function openInEra(
  deps: SessionDeps,
  { definition, ring }: SessionOptions,
  era: Era,
  signal: AbortSignal,
): Promise<OpenSession> {
  await using stack = new AsyncDisposableStack()
  const channel = stack.use(await openChannel(deps, definition, ring, signal))
  const ended = Promise.withResolvers<string>()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have no other way
  channel.transport.onclose = () => void channel.reason().then(ended.resolve)
  const { startMs, redact } = deps
  const clocks = new CallClocks(callMsOf(definition, deps), deps.askerOf)
  const late = AbortSignal.any([signal, AbortSignal.timeout(startMs)])
  // The SDK's probe ignores the signal; closing the transport ends the probe as well.
  const hungUp = Promise.withResolvers<never>()
  const hangUp = (): void => {
    void channel.transport.close()
    hungUp.reject(late.reason)
  }
  late.addEventListener('abort', hangUp, { once: true })
  try {
    const settings = clientSettings(deps, definition, ring, clocks)
    const connect = async () => connectClient(channel.transport, await era, settings, late)
    const client = await Promise.race([connect(), hungUp.promise])
    const features = new SessionFeatures(client, redact, startMs)
    const lists = new ToolLists(() => listTools(client, redact, startMs), ring)
    const list = (): Promise<readonly RawTool[]> => lists.next()
    const parts = { tools: await list(), ended: ended.promise, listTools: list }
    const owned = stack.move()
    return {
      ...describe({ definition, channel, client, clocks, features }),
      ...parts,
      get leftOut() {
        return lists.leftOut
      },
      async [Symbol.asyncDispose]() {
        await channel.farewell?.()
        await client.close().catch(() => undefined)
        await owned.disposeAsync()
      },
    }
  } catch (cause) {
    if (signal.aborted) throw cause
    throw await startFailure(cause, { definition, channel, ring, redact, startMs, late })
  } finally {
    late.removeEventListener('abort', hangUp)
  }
}

function clientSettings(
  { elicit, redact, startMs, ...deps }: SessionDeps,
  definition: ServerDefinition,
  ring: LogRing,
  clocks: CallClocks,
): Parameters<typeof connectClient>[2] {
  const { id: server } = definition
  const handler = elicit && createElicitationHandler({ server, elicit, clocks, ring, redact })
  const onUnoffered = (method: string): void =>
    ring.add('cordon', `The server asked for ${JSON.stringify(method)}, which is not offered`)
  // Over HTTP every request is answered, so the SDK takes a late probe for a failure; a remote server may just wake up.
  const probeMs = speaksHttp(definition) ? startMs : deps.probeMs
  return { handler, startMs, probeMs, onUnoffered }
}

function speaksHttp({ transport, httpPath }: ServerDefinition): boolean {
  return isRemote(transport) || httpPath !== undefined
}

/** How long a call of this server may take without progress. */
export function callMsOf(
  { limits }: Pick<ServerDefinition, 'limits'>,
  { callMs }: Pick<SessionDeps, 'callMs'>,
): number {
  return limits?.callMs?.value ?? callMs
}

type Description = Omit<
  OpenSession,
  'tools' | 'leftOut' | 'ended' | 'listTools' | typeof Symbol.asyncDispose
>

interface Parts {
  readonly definition: ServerDefinition
  readonly channel: Channel
  readonly client: Client
  readonly clocks: CallClocks
  readonly features: SessionFeatures
}

function describe({ definition, channel, client, clocks, features }: Parts): Description {
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy'
  const isHttp = speaksHttp(definition)
  const isOpen = !isAbove(definition.label, 'internal')
  // Requests of the modern era carry metadata that only the SDK knows how to write.
  const isDirect = era === 'legacy' && channel.transport instanceof LineTransport
  const direct = isDirect ? new DirectCalls(channel.transport) : undefined
  return {
    era,
    prior: eraOf(client),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    reportedVersion: client.getServerVersion()?.version,
    instructions: client.getInstructions(),
    process: channel.process,
    async call(tool, args, signal, { callId, onProgress, trace }) {
      if (!client.transport) throw new ConnectionLost()
      using clock = clocks.start(callId, signal, onProgress)
      const asked = requestFor(tool.name, args, trace)
      if (direct) return await direct.call(asked, clock)
      const request = features.withMeta(asked)
      if (!isHttp || request.method !== 'tools/call') {
        return await requestWithin(clock, (timing) => client.request(request, AS_IT_CAME, timing))
      }
      // Over HTTP some servers want arguments repeated as headers, which only `callTool` does. Proxies see and log
      // headers, so no argument is repeated for a server that is labelled above `internal`.
      const inputSchema = isOpen ? tool['inputSchema'] : { type: 'object' }
      const toolDefinition = { name: tool.name, inputSchema } as never
      return await requestWithin(clock, (timing) =>
        asItCame(client)(request.params as never, { ...timing, toolDefinition }),
      )
    },
    limitCalls(callMs) {
      clocks.callMs = callMs
    },
    async checkHealth() {
      const options = { timeout: HEALTH_MS }
      const answer = era === 'modern' ? client.discover(options) : client.ping(options)
      await answer.catch((error: unknown) => {
        if (!isErrorAnswer(error)) throw error // an error is an answer too: the server lives
      })
    },
    features,
  }
}

/** The SDK's own `callTool` checks results against a schema of its own, and refuses content of kinds that it does not know. */
function asItCame(client: Client): (...call: Parameters<Client['callTool']>) => Promise<Json> {
  type Request = Parameters<Client['request']>[0]
  const request = (what: Request, options: object) => client.request(what, AS_IT_CAME, options)
  const lenient = Object.create(client, { request: { value: request } }) as Client
  return async (...call) => (await lenient.callTool(...call)) as unknown as Json
}

async function listTools(
  client: Client,
  redact: (text: string) => string,
  timeout: number,
): Promise<ToolList> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], leftOut: [] }
  const ask = async (cursor: string | undefined): Promise<unknown> => {
    if (!client.transport) throw new ConnectionLost()
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
    return await client.request(request, AS_IT_CAME, { timeout })
  }
  return await readToolList(ask, redact)
}
