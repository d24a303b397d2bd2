/**
 * The features of one session besides tools: lists, subscriptions, log messages, and what the server declares of them.
 * Passes on what the server says; calls nothing by itself.
 */
import type { Client } from '@modelcontextprotocol/client'
import type { DeclaredFeatures, ListKind, LogLevel } from '../../ports/feature-port.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { ConnectionLost } from './failure.ts'
import { readFeatureList } from './feature-list.ts'
import type { ProtocolRequest } from './feature-tools.ts'
import { followLists, type ListName } from './follow-lists.ts'
import { AS_IT_CAME } from './mcp-client.ts'

export type SessionEvent =
  | { readonly kind: ListName }
  | { readonly kind: 'updated'; readonly uri: string }
  | { readonly kind: 'log'; readonly params: JsonObject }

/** MCP 2026-07-28: the level of log messages that a request wants. */
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const NOTHING: Json = {}

export class SessionFeatures {
  readonly #client: Client
  readonly #redact: (text: string) => string
  readonly #timeoutMs: number
  /** Subscriptions of the modern era, by URI: each is a stream of its own. */
  readonly #streams = new Map<string, { close(): Promise<void> }>()
  #logLevel: LogLevel | undefined

  constructor(client: Client, redact: (text: string) => string, timeoutMs: number) {
    this.#client = client
    this.#redact = redact
    this.#timeoutMs = timeoutMs
  }

  get declared(): DeclaredFeatures {
    const offered = this.#client.getServerCapabilities() ?? {}
    return {
      resources: offered.resources !== undefined,
      subscriptions: offered.resources?.subscribe === true,
      prompts: offered.prompts !== undefined,
      completions: offered.completions !== undefined,
      logging: offered.logging !== undefined,
    }
  }

  async list(kind: ListKind): Promise<readonly JsonObject[]> {
    const { resources, prompts } = this.declared
    if (!(kind === 'prompts' ? prompts : resources)) return []
    return await readFeatureList(kind, (method, params) => this.#ask(method, params), this.#redact)
  }

  async subscribe(uri: string, signal: AbortSignal): Promise<Json> {
    if (!this.#isModern) return await this.#ask('resources/subscribe', { uri }, signal)
    if (this.#streams.has(uri)) return NOTHING
    const filter = { resourceSubscriptions: [uri] }
    const stream = await this.#client.listen(filter, { timeout: this.#timeoutMs })
    this.#streams.set(uri, stream)
    void stream.closed.then(() => this.#streams.delete(uri))
    return NOTHING
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#isModern) await this.#ask('resources/unsubscribe', { uri })
    await this.#streams.get(uri)?.close()
  }

  /** In the modern era every request says the level; a legacy server is told once. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
    if (!this.#isModern && this.declared.logging) await this.#ask('logging/setLevel', { level })
  }

  withMeta(request: ProtocolRequest): ProtocolRequest {
    const level = this.#isModern ? this.#logLevel : undefined
    if (level === undefined && !request.meta) return request
    const _meta = { ...request.meta, ...(level !== undefined && { [LEVEL_KEY]: level }) }
    return { ...request, params: { ...request.params, _meta } }
  }

  follow(listener: (event: SessionEvent) => void): void {
    const client = this.#client
    followLists(client, (kind) => listener({ kind }))
    client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
      listener({ kind: 'updated', uri }),
    )
    client.setNotificationHandler('notifications/message', ({ params }) =>
      listener({ kind: 'log', params: params as unknown as JsonObject }),
    )
  }

  get #isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern'
  }

  async #ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<Json> {
    if (!this.#client.transport) throw new ConnectionLost()
    const options = { timeout: this.#timeoutMs, ...(signal && { signal }) }
    return await this.#client.request({ method, params }, AS_IT_CAME, options)
  }
}
