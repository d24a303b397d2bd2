/**
 * Holds requests of clients to their budgets. Reading a resource, a prompt or a completion counts like a call of a tool, and
 * so does each resource that is followed. A call above the budget is answered with a sentence and never reaches the door.
 */
import type { Clients } from '../ports/client-port.ts'
import { SUBSCRIBE_RESOURCE } from '../text/feature-names.ts'
import type { CallForClient } from './call-for-client.ts'
import type { ClientBudgets } from './client-budgets.ts'
import type { HandleRequest } from './handle-request.ts'
import { INTERNAL_ERROR, RpcError } from './rpc-message.ts'
import { failed } from './show-call.ts'

export interface LimitDeps {
  readonly clients: Pick<Clients, 'find' | 'used'>
  readonly budgets: ClientBudgets
}

/** The requests that are one call. Subscriptions may be many, and are counted one by one. */
const COUNTED: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
])

export function limitClients(
  handle: HandleRequest,
  { clients, budgets }: LimitDeps,
): HandleRequest {
  return async (request, exchange) => {
    const { name } = exchange.session.client
    clients.used(name)
    const client = clients.find(name)
    if (client) exchange.session.client = client // an edit holds for open connections too
    if (!client?.limits || !COUNTED.has(request.method)) return await handle(request, exchange)
    const refusal = budgets.take(name)
    if (refusal !== undefined) {
      if (request.method === 'tools/call') return failed(refusal)
      throw new RpcError(INTERNAL_ERROR, refusal)
    }
    const result = await handle(request, exchange)
    budgets.gave(name, result)
    return result
  }
}

/** Counts subscriptions, whether they come one by one or a hundred with one request. */
export function limitSubscriptions(
  call: CallForClient,
  budgets: Pick<ClientBudgets, 'take'>,
): CallForClient {
  return async (session, one, signal) => {
    const isCounted = one.tool.name === SUBSCRIBE_RESOURCE
    const reason = isCounted ? budgets.take(session.client.name) : undefined
    if (reason !== undefined) return { kind: 'refused', rule: 'client.budget', reason }
    return await call(session, one, signal)
  }
}
