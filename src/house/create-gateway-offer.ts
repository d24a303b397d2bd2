/** Builds the parts of the gateway that the API shows as well: contexts, the tools as clients are offered them, their cost. Contains no rules. */
import { KNOWN_CLIENTS } from '../catalog/clients/known-clients.ts'
import { ClientBudgets } from '../gateway/client-budgets.ts'
import { createClientViews, type ClientViews } from '../gateway/client-views.ts'
import { contextCost } from '../gateway/context-cost.ts'
import { createOffer, type Offer, type OfferDeps } from '../gateway/offered-tools.ts'
import { type OpenClients, openClients } from '../gateway/open-clients.ts'
import { openContexts } from '../gateway/open-contexts.ts'
import { createOwnTools, type OwnTools } from '../gateway/own-tools.ts'
import type { Log } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import type { ClientKind } from '../ports/client-limits.ts'
import type { ContextCost, Contexts, OfferChanges } from '../ports/context-port.ts'
import type { Flows } from '../ports/flow-port.ts'
import type { ToolIndex } from '../ports/tool-view.ts'
import { Changes } from '../text/changes.ts'
import type { openKeptRooms } from './open-kept-rooms.ts'

type Rooms = Pick<Awaited<ReturnType<typeof openKeptRooms>>, 'home' | 'audit' | 'tables' | 'store'>

interface GatewayClients {
  readonly clients: OpenClients
  readonly contexts: Contexts
  readonly budgets: ClientBudgets
  readonly clientKinds: readonly ClientKind[]
  /** Announced when an edit changed what a client is offered. */
  readonly offerChanges: OfferChanges
}

export async function openGatewayClients(rooms: Rooms): Promise<GatewayClients> {
  const { home, audit, tables, store } = rooms
  const offerChanges = new Changes()
  const shared = {
    owner: OWNER.id,
    notes: tables.notes,
    audit,
    isShared: store.kind === 'postgresql',
    offerChanges,
    now: Date.now,
  }
  const { files, paths } = home
  const clients = await openClients({ ...shared, files, folder: paths.clients })
  return {
    clients,
    budgets: new ClientBudgets({ ...shared, clients }),
    contexts: await openContexts(shared),
    clientKinds: KNOWN_CLIENTS,
    offerChanges,
  }
}

export interface GatewayOffer {
  readonly offer: Offer
  readonly views: ClientViews
  readonly own: OwnTools
  /** Of these contexts; undefined: of all tools. */
  readonly contextCost: (contexts: readonly string[] | undefined) => Promise<ContextCost>
}

interface Serving extends OfferDeps {
  readonly toolIndex: OfferDeps['toolIndex'] & Pick<ToolIndex, 'search'>
  readonly flows: Flows
  readonly log: Log
}

export function createGatewayOffer(rooms: GatewayClients & Serving): GatewayOffer {
  const { clients, contexts, clientKinds: kinds, servers, toolIndex, flows, log } = rooms
  const offer = createOffer({ toolIndex, servers })
  const views = createClientViews({ offer, clients, contexts, kinds })
  const own = createOwnTools({ views, toolIndex, flows, log })
  return { offer, views, own, contextCost: (names) => contextCost({ views, contexts, own }, names) }
}
