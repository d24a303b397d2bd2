/** Builds the gateway: the registered clients, and the two ways by which they come. */
import { createBesideTools } from '../gateway/beside-tools.ts'
import type { ClientBudgets } from '../gateway/client-budgets.ts'
import type { InputPort } from '../gateway/client-questions.ts'
import { type CallForClient, createClientCalls, type DoorDeps } from '../gateway/call-for-client.ts'
import { Drain } from '../gateway/drain.ts'
import { createHandler, type HandleRequest } from '../gateway/handle-request.ts'
import { createEndpoint, type Endpoint } from '../gateway/create-endpoint.ts'
import type { Span } from '../gateway/traces/trace-requests.ts'
import { serveUpgrade } from '../gateway/serve-upgrade.ts'
import { HttpSessions } from '../gateway/http-sessions.ts'
import { createMetricsEndpoint, METRICS } from '../gateway/metrics-endpoint.ts'
import { type Gauges, Metrics } from '../gateway/metrics.ts'
import { createSharedWaitingCalls } from '../gateway/waiting-calls.ts'
import { limitClients, limitSubscriptions } from '../gateway/limit-client.ts'
import type { OpenClients } from '../gateway/open-clients.ts'
import { createSignIns, type OpenSignIns } from '../gateway/sign-in/create-sign-ins.ts'
import { createOAuthEndpoints } from '../gateway/sign-in/create-oauth-endpoints.ts'
import { createConfigFile } from '../home/config-file.ts'
import { type GatewaySettings, readGatewaySettings } from '../home/gateway-settings.ts'
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import type { Log, Notes, Servers } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Clients } from '../ports/client-port.ts'
import type { Egress } from '../ports/egress-port.ts'
import type { Features } from '../ports/feature-port.ts'
import type { OfferChanges } from '../ports/context-port.ts'
import type { CallProgress } from '../text/call-progress.ts'
import type { Web, WebGateway } from '../web/open-web.ts'
import { takeStreams } from '../sandbox/unsandboxed/passed-streams.ts'
import type { GatewayOffer } from './create-gateway-offer.ts'
import type { openKeptRooms } from './open-kept-rooms.ts'

type KeptRooms = Awaited<ReturnType<typeof openKeptRooms>>
type Rooms = Pick<KeptRooms, 'log' | 'audit' | 'tables' | 'store'>

interface Serving extends DoorDeps {
  readonly servers: DoorDeps['servers'] & Pick<Servers, 'states'>
  readonly queue: Pick<ApprovalQueue, 'list'>
  readonly progress: CallProgress
  readonly features: Features
  readonly input: InputPort
}

export async function gatewaySettings({ home }: Pick<KeptRooms, 'home'>): Promise<GatewaySettings> {
  const { files, paths } = home
  return await readGatewaySettings(createConfigFile(files, paths.config), paths.config)
}

export async function createGateway(
  { audit, log, tables, store }: Rooms,
  serving: Omit<Serving, 'audit'>,
  facts: GatewayFacts,
): Promise<WebGateway> {
  const { clients, budgets, version, web, egress, settings } = facts
  const { policy, approvals, servers, told, progress } = serving
  const metrics = settings.hasMetrics ? new Metrics() : undefined
  const isShared = store.kind === 'postgresql'
  const waiting = isShared && { waiting: createSharedWaitingCalls(tables.notes, Date.now) }
  const deps = { policy, audit, approvals, servers, told, ...waiting }
  const door = limitSubscriptions(createClientCalls(deps), budgets)
  const tracing = await openTracing(settings, { egress, version, log })
  const call = (tracing ?? PLAIN).call(metrics?.measure(door) ?? door)
  const beside = createBesideTools({ ...serving, ...facts, now: Date.now })
  const handle = createHandler({ ...facts, beside, call, progress, page: web.page, log })
  const drain = new Drain()
  const limited = limitClients(handle, { clients, budgets })
  const answering = { handle: (tracing ?? PLAIN).handle(limited), drain, log }
  const port = Number(new URL(web.page).port)
  const shared = { owner: OWNER.id, clients, audit, log, port, now: Date.now }
  const signing = {
    ...shared,
    notes: tables.notes,
    isShared,
    fetchFrom: (host: string) => egress.createFetch({ allowedDomains: [host] }),
  }
  const signIns = createSignIns(signing)
  const sessions = openSessions(log, beside, isShared ? tables.notes : undefined)
  const endpoint = createEndpoint({
    ...answering,
    ...shared,
    sessions,
    clients: admitSignedIn(clients, signIns),
  })
  return {
    endpoints: new Map([
      ...['/mcp', '/sse', '/messages'].map((path) => [path, endpoint] as const),
      ...createOAuthEndpoints({ ...signing, tokens: signIns.tokens }),
      ...metered(metrics, { ...serving, drain, sessions, port, log }),
    ]),
    signIns,
    upgrade: (request, connection) =>
      void serveUpgrade({ answering, clients, takeStreams }, request, connection),
    async drain() {
      await drain.drain(settings.drainMs)
      await tracing?.end()
    },
  }
}

function openSessions(
  log: Log,
  { news }: ReturnType<typeof createBesideTools>,
  shared: Notes | undefined,
): HttpSessions {
  return new HttpSessions({
    now: Date.now,
    log,
    join: (peer, params) => news.join(peer, params),
    ...(shared && { shared }),
  })
}

interface Traced {
  handle(handle: HandleRequest): HandleRequest
  call(call: CallForClient): CallForClient
  /** Sends the last spans. */
  end(): Promise<void>
}

const PLAIN: Pick<Traced, 'handle' | 'call'> = { handle: (handle) => handle, call: (call) => call }

/** Loaded only if the owner names a collector. */
async function openTracing(
  { traces }: GatewaySettings,
  { egress, version, log }: Pick<GatewayFacts, 'egress' | 'version'> & Pick<Rooms, 'log'>,
): Promise<Traced | undefined> {
  if (!traces) return undefined
  const { SpanExporter } = await import('../gateway/traces/span-exporter.ts')
  const { traceCalls, traceRequests } = await import('../gateway/traces/trace-requests.ts')
  const fetch = egress.createFetch({
    allowedDomains: [traces.hostname],
    ...(traces.protocol === 'http:' && { dangerouslyAllowHttp: true }),
  })
  const url = `${traces.href.replace(/\/$/, '')}/v1/traces`
  const exporter = new SpanExporter({ fetch, url, version, log })
  const now = (): number => performance.timeOrigin + performance.now()
  const tracing = { now, record: (span: Span) => exporter.add(span) }
  return {
    handle: (handle) => traceRequests(handle, tracing),
    call: (call) => traceCalls(call, tracing),
    end: () => exporter[Symbol.asyncDispose](),
  }
}

interface Metered extends Pick<Serving, 'servers' | 'queue'> {
  readonly drain: Drain
  readonly sessions: HttpSessions
  readonly port: number
  readonly log: Rooms['log']
}

const RECENT_MS = 300_000

/** `/metrics`, if it is turned on. */
function metered(
  metrics: Metrics | undefined,
  { servers, queue, drain, sessions, port, log }: Metered,
): readonly (readonly [string, Endpoint])[] {
  if (!metrics) return []
  const gauges = async (): Promise<Gauges> => {
    const states = await servers.states('briefly')
    return {
      connections: drain.connections,
      sessions: sessions.usedSince(Date.now() - RECENT_MS),
      requests: drain.requests,
      servers: states.length,
      running: states.filter(({ badge }) => badge === 'connected').length,
      approvals: (await queue.list(false)).length,
    }
  }
  return [[METRICS, createMetricsEndpoint({ metrics, gauges, port, log })]]
}

/** Over HTTP a client enters by its own token, or by one of its sign-in. */
function admitSignedIn(
  clients: OpenClients,
  { tokens }: OpenSignIns,
): Pick<Clients, 'admit' | 'revoked'> {
  return {
    revoked: (client) => clients.revoked(client),
    async admit(token) {
      const own = await clients.admit(token)
      if (own || token === '') return own
      const name = await tokens.admit(token)
      return name === undefined ? undefined : clients.find(name)
    },
  }
}

interface GatewayFacts extends Pick<GatewayOffer, 'views' | 'own' | 'offer'> {
  readonly offerChanges: OfferChanges
  readonly egress: Pick<Egress, 'createFetch'>
  readonly clients: OpenClients
  readonly budgets: ClientBudgets
  readonly version: string
  readonly web: Pick<Web, 'page'>
  readonly settings: GatewaySettings
}
