/**
 * The requests of clients about resources, prompts and completion. Lists are told like lists of tools; a read, a prompt
 * and a completion are calls, through the one door, and raise the label of the session.
 */
import type { Features } from '../ports/feature-port.ts'
import { COMPLETE, GET_PROMPT, READ_RESOURCE, SUBSCRIBE_RESOURCE } from '../text/feature-names.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { seenText } from '../text/untrusted-text.ts'
import type { FeatureCall } from './create-feature-call.ts'
import { listPage } from './list-page.ts'
import { listPrompts } from './offered-prompts.ts'
import { renameResources, type ResourceOffer } from './offered-resources.ts'
import { aliasOf, type Located } from './alias-of.ts'
import {
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  NO_RESOURCE,
  RpcError,
  type RpcRequest,
} from './rpc-message.ts'
import type { Exchange } from './handle-request.ts'

export interface FeatureRequestDeps {
  readonly features: Features
  readonly resources: ResourceOffer
  readonly call: FeatureCall
}

type Answer = Promise<JsonObject>
type Handle = (deps: FeatureRequestDeps, request: RpcRequest, exchange: Exchange) => Answer

const FRESH = { ttlMs: 5000, cacheScope: 'private' } as const

const METHODS: Readonly<Record<string, Handle>> = {
  'resources/list': async ({ resources }, { params }, exchange) => {
    const offered = await resources.list(exchange)
    return fresh(exchange, listPage('resources', offered.resources, params['cursor']))
  },
  'resources/templates/list': async ({ resources }, { params }, exchange) => {
    const offered = await resources.list(exchange)
    return fresh(exchange, listPage('resourceTemplates', offered.templates, params['cursor']))
  },
  'prompts/list': async ({ features }, { params }, exchange) => {
    const prompts = await listPrompts(features, exchange)
    const items = [...prompts.values()].map(({ item }) => item)
    return fresh(exchange, listPage('prompts', items, params['cursor']))
  },
  'resources/read': read,
  'resources/subscribe': subscribe,
  'resources/unsubscribe': unsubscribe,
  'prompts/get': getPrompt,
  'completion/complete': complete,
}

/** Undefined if the method is none of these. */
export function answerFeature(
  deps: FeatureRequestDeps,
  request: RpcRequest,
  exchange: Exchange,
): Answer | undefined {
  const handle = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined
  return handle?.(deps, request, exchange)
}

/** Of the modern era every such result says how long it may be kept, and that it is for this client alone. */
function fresh({ era }: Exchange, result: JsonObject): JsonObject {
  return era === 'modern' ? { ...result, ...FRESH } : result
}

async function read(deps: FeatureRequestDeps, request: RpcRequest, exchange: Exchange): Answer {
  const { uri: asked } = request.params
  const located = await locate(deps, asked, exchange)
  const { server, uri } = located
  const id = { server, name: READ_RESOURCE }
  const answer = await deps.call({ id, args: { uri } }, exchange)
  if (answer.kind === 'more') return answer.result
  const offered = await deps.resources.list(exchange)
  const name = (one: string): string =>
    one === uri && typeof asked === 'string' ? asked : offered.nameFor({ server, uri: one })
  const contents = isObject(answer.value) ? answer.value['contents'] : undefined
  return fresh(exchange, { ...answer.meta, contents: renameResources(contents ?? [], name) })
}

export async function locate(
  { resources }: Pick<FeatureRequestDeps, 'resources'>,
  uri: Json | undefined,
  exchange: Exchange,
): Promise<Located> {
  if (typeof uri !== 'string') throw new RpcError(INVALID_PARAMS, 'A resource is named by its uri')
  const found = (await resources.list(exchange)).find(uri)
  const [first, ...others] = found
  if (first && others.length === 0) return first
  const code = exchange.era === 'modern' ? INVALID_PARAMS : NO_RESOURCE
  if (!first) throw new RpcError(code, 'There is no such resource', { uri: uri.slice(0, 1000) })
  const names = found.map(aliasOf)
  const why = 'Several servers have a resource of this name; ask for one of theirs'
  throw new RpcError(code, why, { uri: uri.slice(0, 1000), names })
}

async function subscribe(
  deps: FeatureRequestDeps,
  request: RpcRequest,
  exchange: Exchange,
): Answer {
  refuseModern(request, exchange)
  const { uri } = request.params
  const located = await locate(deps, uri, exchange)
  await follow(deps, { located, uri: uri as string }, exchange)
  return {}
}

const MOST_SUBSCRIPTIONS = 100

/** Through the door: a subscription tells the server its URI. */
export async function follow(
  { call, features }: FeatureRequestDeps,
  { located, uri }: Followed,
  exchange: Exchange,
): Promise<void> {
  const { subscribed } = exchange.link
  if (subscribed.has(uri)) return
  if (subscribed.size >= MOST_SUBSCRIPTIONS) {
    throw new RpcError(INVALID_PARAMS, 'There are too many subscriptions; end one first')
  }
  const id = { server: located.server, name: SUBSCRIBE_RESOURCE }
  await call({ id, args: { uri: located.uri } }, exchange)
  if (subscribed.size === 0) {
    exchange.link.onClose(() => {
      for (const { server, uri: known } of subscribed.values()) {
        // The server may have been removed since; a rejection that nobody handles would end Cordon.
        features.unsubscribe(server, known).catch(() => undefined)
      }
      subscribed.clear()
    })
  }
  subscribed.set(uri, located)
}

interface Followed {
  readonly located: Located
  /** As the client knows it. */
  readonly uri: string
}

async function unsubscribe(
  { features }: FeatureRequestDeps,
  request: RpcRequest,
  exchange: Exchange,
): Answer {
  refuseModern(request, exchange)
  const { uri } = request.params
  const { subscribed } = exchange.link
  const located = typeof uri === 'string' ? subscribed.get(uri) : undefined
  if (!located) throw new RpcError(INVALID_PARAMS, 'There is no such subscription')
  subscribed.delete(uri as string)
  await features.unsubscribe(located.server, located.uri)
  return {}
}

export function refuseModern({ method }: RpcRequest, { era }: Exchange): void {
  if (era === 'legacy') return
  throw new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)} here`)
}

async function getPrompt(
  deps: FeatureRequestDeps,
  request: RpcRequest,
  exchange: Exchange,
): Answer {
  const { name, arguments: args = {} } = request.params
  const prompt = typeof name === 'string' && (await listPrompts(deps.features, exchange)).get(name)
  if (!prompt || !isObject(args)) throw new RpcError(INVALID_PARAMS, 'There is no such prompt')
  const { server, name: own } = prompt.id
  const id = { server, name: GET_PROMPT }
  const answer = await deps.call({ id, args: { name: own, arguments: args } }, exchange)
  if (answer.kind === 'more') return answer.result
  const offered = await deps.resources.list(exchange)
  const value = isObject(answer.value) ? answer.value : {}
  const messages = renameResources(seenIn(value['messages'] ?? []), (uri) =>
    offered.nameFor({ server, uri }),
  )
  const { description } = prompt.item
  return { ...answer.meta, messages, ...(description !== undefined && { description }) }
}

/** A person picks a prompt and reads it: nothing in it may be invisible. */
function seenIn(value: Json): Json {
  if (typeof value === 'string') return seenText(value)
  if (Array.isArray(value)) return value.map((one) => seenIn(one as Json))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, seenIn(one)]))
}

async function complete(deps: FeatureRequestDeps, request: RpcRequest, exchange: Exchange): Answer {
  const { ref, argument, context } = request.params
  const located = isObject(ref) ? await referred(deps, ref, exchange) : undefined
  if (!located || !isObject(argument)) {
    throw new RpcError(INVALID_PARAMS, 'There is no such prompt or template to complete')
  }
  const args = { ref: located.ref, argument, ...(isObject(context) && { context }) }
  const id = { server: located.server, name: COMPLETE }
  const answer = await deps.call({ id, args }, exchange)
  if (answer.kind === 'more') return answer.result
  const completion = isObject(answer.value) ? answer.value['completion'] : undefined
  return { ...answer.meta, completion: completion ?? { values: [] } }
}

async function referred(
  { features, resources }: FeatureRequestDeps,
  { type, name, uri }: JsonObject,
  exchange: Exchange,
) {
  if (type === 'ref/prompt' && typeof name === 'string') {
    const prompt = (await listPrompts(features, exchange)).get(name)
    return prompt && { server: prompt.id.server, ref: { type, name: prompt.id.name } }
  }
  if (type !== 'ref/resource' || typeof uri !== 'string') return undefined
  const located = (await resources.list(exchange)).findTemplate(uri)
  return located && { server: located.server, ref: { type, uri: located.uri } }
}
