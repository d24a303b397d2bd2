/** Builds the gateway: the registered clients, and the two ways by which they come. */
import { createClientCalls, type DoorDeps } from '../gateway/call-for-client.ts'
import { createHandler } from '../gateway/handle-request.ts'
import { createEndpoint } from '../gateway/create-endpoint.ts'
import { serveUpgrade } from '../gateway/serve-upgrade.ts'
import { limitClients } from '../gateway/limit-client.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Clients } from '../ports/client-port.ts'
import type { CallProgress } from '../text/call-progress.ts'
import type { Web, WebGateway } from '../web/open-web.ts'
import type { GatewayOffer } from './create-gateway-offer.ts'
import type { openKeptRooms } from './open-kept-rooms.ts'

type Rooms = Pick<Awaited<ReturnType<typeof openKeptRooms>>, 'log' | 'audit'>

interface Serving extends DoorDeps {
  readonly progress: CallProgress
}

export function createGateway(
  { audit, log }: Rooms,
  serving: Omit<Serving, 'audit'>,
  { clients, version, web, views, own }: GatewayFacts,
): WebGateway {
  const { policy, approvals, servers, told, progress } = serving
  const call = createClientCalls({ policy, audit, approvals, servers, told })
  const handle = createHandler({ views, own, call, progress, version, log })
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

interface GatewayFacts extends Pick<GatewayOffer, 'views' | 'own'> {
  readonly clients: Clients
  readonly version: string
  readonly web: Pick<Web, 'page'>
}
