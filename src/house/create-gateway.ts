/** Builds the gateway: the registered clients, and the two ways by which they come. */
import { createClientCalls, type DoorDeps } from '../gateway/call-for-client.ts'
import { createHandler } from '../gateway/handle-request.ts'
import { createEndpoint } from '../gateway/create-endpoint.ts'
import { serveUpgrade } from '../gateway/serve-upgrade.ts'
import { createOffer, type OfferDeps } from '../gateway/offered-tools.ts'
import { limitClients } from '../gateway/limit-client.ts'
import { type OpenClients, openClients } from '../gateway/open-clients.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Clients } from '../ports/client-port.ts'
import type { CallProgress } from '../text/call-progress.ts'
import type { Web, WebGateway } from '../web/open-web.ts'
import type { openKeptRooms } from './open-kept-rooms.ts'

type Rooms = Pick<
  Awaited<ReturnType<typeof openKeptRooms>>,
  'home' | 'log' | 'audit' | 'tables' | 'store'
>

export async function openGatewayClients(rooms: Rooms): Promise<OpenClients> {
  const { home, audit, tables, store } = rooms
  return await openClients({
    owner: OWNER.id,
    notes: tables.notes,
    files: home.files,
    folder: home.paths.clients,
    audit,
    isShared: store.kind === 'postgresql',
    now: Date.now,
  })
}

interface Serving extends DoorDeps, OfferDeps {
  readonly servers: DoorDeps['servers'] & OfferDeps['servers']
  readonly progress: CallProgress
}

export function createGateway(
  { audit, log }: Rooms,
  serving: Omit<Serving, 'audit'>,
  { clients, version, web }: GatewayFacts,
): WebGateway {
  const { policy, approvals, servers, told, toolIndex, progress } = serving
  const call = createClientCalls({ policy, audit, approvals, servers, told })
  const offer = createOffer({ toolIndex, servers })
  const handle = createHandler({ offer, call, progress, version, log })
  const limits = { owner: OWNER.id, clients, audit, now: Date.now }
  const answering = { handle: limitClients(handle, limits), log }
  return {
    endpoint: createEndpoint({
      ...answering,
      owner: OWNER.id,
      clients,
      audit,
      port: Number(new URL(web.page).port),
      now: Date.now,
    }),
    upgrade: (request, connection) => void serveUpgrade(answering, clients, request, connection),
  }
}

interface GatewayFacts {
  readonly clients: Clients
  readonly version: string
  readonly web: Pick<Web, 'page'>
}
