/** Everything of MCP besides tools, as one part of the handler: resources, prompts, completion, logging, subscriptions. */
import type { Features } from '../ports/feature-port.ts'
import type { OfferChanges } from '../ports/context-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { JsonObject } from '../text/json.ts'
import { LOG_LEVELS } from '../text/log-levels.ts'
import { createFeatureCall, type Perform } from './create-feature-call.ts'
import { ClientNews } from './client-news.ts'
import type { ClientViews } from './client-views.ts'
import { ClientQuestions, type QuestionDeps } from './client-questions.ts'
import { answerFeature, refuseModern } from './answer-feature.ts'
import type { Exchange } from './handle-request.ts'
import { answerListen } from './answer-listen.ts'
import { renameResources, ResourceOffer } from './offered-resources.ts'
import type { Offer } from './offered-tools.ts'
import { INVALID_PARAMS, RpcError, type RpcRequest } from './rpc-message.ts'
import { WAITING } from './show-call.ts'

export interface BesideDeps extends QuestionDeps {
  readonly features: Features
  readonly views: Pick<ClientViews, 'refresh'>
  readonly offer: Pick<Offer, 'list'>
  /** Announced when an edit of the owner changed what a client is offered. */
  readonly offerChanges: OfferChanges
  readonly now: () => number
}

export interface BesideTools {
  readonly news: ClientNews
  readonly questions: ClientQuestions
  /** A session of the legacy era begins. */
  begin(exchange: Exchange): void
  /** Undefined if the method is none of these. */
  answer(perform: Perform, request: RpcRequest, exchange: Exchange): Promise<JsonObject> | undefined
  /** The result of a tool with the URIs of resources as the client can read them. */
  rename(result: JsonObject, server: ServerId, exchange: Exchange): Promise<JsonObject>
}

export const CAPABILITIES_BESIDE: JsonObject = {
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

export function createBesideTools(deps: BesideDeps): BesideTools {
  const { features, views, offer, offerChanges, now } = deps
  const resources = new ResourceOffer(features, now)
  const news = new ClientNews({ features, views, offer, offerChanges, resources })
  return {
    news,
    questions: new ClientQuestions(deps),
    begin: (exchange) => news.join(exchange, exchange.request.params),
    answer(perform, request, exchange) {
      const parts = { features, resources, news, call: createFeatureCall(perform, WAITING) }
      if (request.method === 'logging/setLevel') return setLevel(request, exchange)
      if (request.method === 'subscriptions/listen' && exchange.era === 'modern') {
        return answerListen(parts, request, exchange)
      }
      return answerFeature(parts, request, exchange)
    },
    async rename(result, server, exchange) {
      const { content } = result
      if (!Array.isArray(content) || !content.some(namesResource)) return result
      const offered = await resources.list(exchange)
      return {
        ...result,
        content: renameResources(content, (uri) => offered.nameFor({ server, uri })),
      }
    },
  }
}

function namesResource(block: unknown): boolean {
  const { type } = block as { readonly type?: unknown }
  return type === 'resource' || type === 'resource_link'
}

async function setLevel(request: RpcRequest, exchange: Exchange): Promise<JsonObject> {
  refuseModern(request, exchange)
  const level = LOG_LEVELS.find((one) => one === request.params['level'])
  if (!level) throw new RpcError(INVALID_PARAMS, `A level is one of ${LOG_LEVELS.join(', ')}`)
  exchange.link.logLevel = level
  return {}
}
