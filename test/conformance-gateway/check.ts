/** A check, and the subject it is given: clients of one gateway, and the tools of its backends by whatever name. */
import type { BackendName, ClientName, Gateway } from './adapters/adapter.ts'
import {
  type ClientOptions,
  type McpClient,
  openClient,
  type Outcome,
} from './client/mcp-client.ts'

export interface Check {
  /** `group.name`, as baselines spell it. */
  readonly id: string
  /** A sentence that holds if it passes. */
  readonly title: string
  /** Without it: alpha alone. */
  readonly backends?: readonly BackendName[]
  /** It does harm: the gateway is started for it alone, where the suite starts it. */
  readonly isRough?: true
  readonly needs?: 'two clients' | 'http' | 'principals'
  /** Throws what `expect` throws if it does not hold. */
  run(subject: Subject): Promise<void>
}

export class CheckFailed extends Error {}
/** The gateway cannot be asked this; the message says why. */
export class NotApplicable extends Error {}

export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CheckFailed(otherwise)
}

interface Listed {
  readonly name: string
  readonly uri?: string
  readonly uriTemplate?: string
  readonly title?: string
  readonly description?: string
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly outputSchema?: unknown
}

export interface Called {
  readonly isError: boolean
  /** All text blocks, or the message of the error. */
  readonly text: string
  readonly content: readonly Readonly<Record<string, unknown>>[]
  readonly result: Readonly<Record<string, unknown>>
}

export class Subject implements AsyncDisposable {
  readonly gateway: Gateway
  readonly #clients: McpClient[] = []
  readonly #names = new WeakMap<McpClient, readonly Listed[]>()

  constructor(gateway: Gateway) {
    this.gateway = gateway
  }

  /** A new client; closed at the end of the check. */
  async client(name: ClientName = 'one', options: ClientOptions = {}): Promise<McpClient> {
    const client = await openClient(this.gateway.wire(name), options)
    this.#clients.push(client)
    return client
  }

  async list(client: McpClient, method: string, key: string): Promise<readonly Listed[]> {
    const all: Listed[] = []
    let cursor: unknown
    do {
      const page = await client.request(method, cursor === undefined ? {} : { cursor })
      expect(page.kind === 'result', `${method}: ${shown(page)}`)
      all.push(...((page.result[key] ?? []) as readonly Listed[]))
      cursor = page.result['nextCursor']
    } while (cursor !== undefined && cursor !== null)
    return all
  }

  async tools(client: McpClient): Promise<readonly Listed[]> {
    const tools = await this.list(client, 'tools/list', 'tools')
    this.#names.set(client, tools)
    return tools
  }

  /** The tool as it is listed to clients: gateways rename. */
  async tool(client: McpClient, backend: BackendName, name: string): Promise<Listed> {
    const tools = this.#names.get(client) ?? (await this.tools(client))
    const tool = named(tools, backend, name)
    expect(tool !== undefined, `${name} of ${backend} is not listed`)
    return tool
  }

  async paramsFor(
    client: McpClient,
    backend: BackendName,
    name: string,
    args: object = {},
  ): Promise<{ readonly name: string; readonly arguments: object }> {
    return { name: (await this.tool(client, backend, name)).name, arguments: args }
  }

  async call(
    client: McpClient,
    backend: BackendName,
    name: string,
    args: object = {},
  ): Promise<Called> {
    const params = await this.paramsFor(client, backend, name, args)
    return read(await client.request('tools/call', params))
  }

  /** As `call`, and fails if the call did. */
  async result(
    client: McpClient,
    backend: BackendName,
    name: string,
    args: object = {},
  ): Promise<Called> {
    const called = await this.call(client, backend, name, args)
    expect(!called.isError, `${name} of ${backend} failed: ${called.text.slice(0, 200)}`)
    return called
  }

  /** The backend's notes of what reached it; some gateways start one backend per client. */
  async seen(client: McpClient, backend: BackendName = 'alpha'): Promise<Seen> {
    return JSON.parse((await this.result(client, backend, 'seen')).text) as Seen
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client[Symbol.asyncDispose]()
  }
}

export interface Seen {
  readonly methods: Readonly<Record<string, number>>
  readonly calls: Readonly<Record<string, number>>
  readonly cancelled: readonly unknown[]
  readonly began: readonly string[]
}

/** By its description, which says name and server; else by a name that ends so. */
export function named(
  listed: readonly Listed[],
  backend: BackendName,
  name: string,
): Listed | undefined {
  const described = listed.find((one) => one.description?.includes(`Runs ${name} on ${backend}`))
  if (described) return described
  const ending = listed.filter((one) => new RegExp(`(?:^|[^a-z0-9])${name}$`).test(one.name))
  return (
    ending.find((one) => one.name.includes(backend)) ??
    (ending.length === 1 ? ending[0] : undefined)
  )
}

export function read(outcome: Outcome): Called {
  if (outcome.kind !== 'result') {
    return { isError: true, text: shown(outcome), content: [], result: {} }
  }
  const { content = [], isError = false } = outcome.result as {
    content?: Called['content']
    isError?: boolean
  }
  const text = content
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : ''))
    .join('\n')
  return { isError, text, content, result: outcome.result }
}

export function shown(outcome: Outcome): string {
  if (outcome.kind === 'none') return outcome.why
  if (outcome.kind === 'error') return `error ${outcome.code}: ${outcome.message.slice(0, 200)}`
  return JSON.stringify(outcome.result).slice(0, 200)
}
