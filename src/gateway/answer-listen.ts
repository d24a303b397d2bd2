/**
 * `subscriptions/listen` of the modern era: one long request, on whose stream the client is told of changed lists and
 * updated resources until it ends the request.
 */
import type { JsonObject } from '../text/json.ts'
import { ClientLink } from './client-link.ts'
import type { ChangedList, ClientNews } from './client-news.ts'
import { type FeatureRequestDeps, follow, locate } from './answer-feature.ts'
import type { Exchange } from './handle-request.ts'
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  notificationMessage,
  RpcError,
  type RpcRequest,
} from './rpc-message.ts'

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'
const LISTS: readonly ChangedList[] = ['tools', 'prompts', 'resources']

interface ListenDeps extends FeatureRequestDeps {
  readonly news: ClientNews
}

export async function answerListen(
  deps: ListenDeps,
  request: RpcRequest,
  exchange: Exchange,
): Promise<JsonObject> {
  const { notifications: filter } = request.params
  const { notify, signal } = exchange
  if (!isObject(filter)) throw new RpcError(INVALID_PARAMS, 'subscriptions/listen takes a filter')
  if (!notify) throw new RpcError(INVALID_REQUEST, 'A subscription needs text/event-stream')
  const _meta = { [SUBSCRIPTION_KEY]: request.id }
  const send = (method: string, params: JsonObject): void =>
    notify(notificationMessage(method, { ...params, _meta }))
  const link = new ClientLink()
  try {
    const uris = await followAll(deps, filter, { ...exchange, link })
    const lists = LISTS.filter((list) => filter[`${list}ListChanged`] === true)
    using _listening = deps.news.listen({
      follower: { session: exchange.session, link },
      changed: (list) => {
        if (lists.includes(list)) send(`notifications/${list}/list_changed`, {})
      },
      updated: (server, uri) => {
        for (const [known, located] of link.subscribed) {
          const isIt = located.server === server && located.uri === uri
          if (isIt) send('notifications/resources/updated', { uri: known })
        }
      },
    })
    const honoured = {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    }
    send('notifications/subscriptions/acknowledged', { notifications: honoured })
    await aborted(signal)
    return { _meta }
  } finally {
    link.close()
  }
}

const MOST_URIS = 100

/** A URI that is unknown or refused is left out of the acknowledgement. */
async function followAll(
  deps: ListenDeps,
  { resourceSubscriptions: asked }: JsonObject,
  exchange: Exchange,
): Promise<readonly string[]> {
  const uris = Array.isArray(asked) ? (asked as readonly unknown[]).slice(0, MOST_URIS) : []
  const followed: string[] = []
  for (const uri of uris) {
    if (typeof uri !== 'string') continue
    try {
      await follow(deps, { located: await locate(deps, uri, exchange), uri }, exchange)
      followed.push(uri)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
    }
  }
  return followed
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
