/** Clients that are libraries, through the gateway: the official SDK before version 2, and the AI SDK's MCP client. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { environmentFor, MAIN } from '../fixtures/cordon.ts'
import { modulesOf, TRIED_CLIENTS } from '../fixtures/tried-clients.ts'
import { until } from '../fixtures/until.ts'
import { type ClientHouse, openClientHouse } from './client-house.ts'

interface Asked {
  readonly params: { readonly message: string }
}
type Answering = (request: Asked) => Promise<object>

interface Connected {
  names(): Promise<readonly string[]>
  call(name: string, args: object, signal?: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** One client, over one transport; it answers questions with `answer`. */
type Connect = (house: ClientHouse, way: 'lines' | 'web', answer: Answering) => Promise<Connected>

const FILLED = { action: 'accept', content: { name: 'ada@example.org' } }

for (const [title, connect, tellsOverLines] of [
  ['the SDK before version 2', connectOlderSdk, true],
  ['the AI SDK', connectAiSdk, false],
] as const) {
  test(`${title}: lists, calls, answers a question of a server, and cancels, over both transports`, async () => {
    await using house = await openClientHouse()
    for (const way of ['lines', 'web'] as const) {
      const asked: string[] = []
      const client = await connect(house, way, async ({ params }) => {
        asked.push(params.message)
        return FILLED
      })
      // First of all: a question is put to a program only while it has read nothing of other servers.
      const answered = await client.call('asker__ask', { question: 'form' })
      assert.match(JSON.stringify(answered), /ada@example\.org/)
      assert.deepEqual(asked, ['asker asks: Who are you?'])
      assert.ok((await client.names()).includes('echo__sum'), way)
      const sum = await client.call('echo__sum', { a: 1, b: 2 })
      assert.partialDeepStrictEqual(sum, { structuredContent: { total: 3 } })

      const cancelling = new AbortController()
      const before = await heard(house)
      const sleeping = client.call('slow__sleep', { ms: 600_000 }, cancelling.signal)
      const refused = assert.rejects(sleeping)
      await until(async () => (await heard(house)).slept > before.slept)
      cancelling.abort()
      await refused
      // The AI SDK does not tell a server over standard input that a call was cancelled: its end does.
      if (way === 'lines' && !tellsOverLines) await client.close()
      await until(async () => (await heard(house)).cancelled > before.cancelled)
      await client.close()
    }
  })
}

async function heard(house: ClientHouse): Promise<{ slept: number; cancelled: number }> {
  const log = await house.logs('slow')
  const count = (words: string): number => log.split(words).length - 1
  return { slept: count('told to sleep'), cancelled: count('told to cancel') }
}

async function load<T>(client: 'sdk' | 'ai-sdk', file: string): Promise<T> {
  const at = path.join(await modulesOf(client), TRIED_CLIENTS[client].package, 'dist', file)
  return (await import(pathToFileURL(at).href)) as T
}

const startLine = ({ cordon }: ClientHouse) => ({
  command: process.execPath,
  args: [MAIN, 'gateway', '--client', 'test'],
  env: environmentFor(cordon.home),
})
const headersFor = ({ token }: ClientHouse) => ({ Authorization: `Bearer ${token}` })

interface OlderClient {
  setRequestHandler(schema: unknown, handle: Answering): void
  connect(transport: unknown): Promise<void>
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(params: object, schema: undefined, options: { signal?: AbortSignal }): Promise<unknown>
  close(): Promise<void>
}
type Constructor<T, A extends readonly unknown[]> = new (...args: A) => T

async function connectOlderSdk(
  house: ClientHouse,
  way: 'lines' | 'web',
  answer: Answering,
): ReturnType<Connect> {
  const { Client } = await load<{ Client: Constructor<OlderClient, [object, object]> }>(
    'sdk',
    'esm/client/index.js',
  )
  const { StdioClientTransport } = await load<{
    StdioClientTransport: Constructor<object, [object]>
  }>('sdk', 'esm/client/stdio.js')
  const { StreamableHTTPClientTransport } = await load<{
    StreamableHTTPClientTransport: Constructor<object, [URL, object]>
  }>('sdk', 'esm/client/streamableHttp.js')
  const { ElicitRequestSchema } = await load<{ ElicitRequestSchema: unknown }>(
    'sdk',
    'esm/types.js',
  )
  const client = new Client(
    { name: 'older', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler(ElicitRequestSchema, answer)
  const requestInit = { headers: headersFor(house) }
  await client.connect(
    way === 'lines'
      ? new StdioClientTransport(startLine(house))
      : new StreamableHTTPClientTransport(new URL(house.url), { requestInit }),
  )
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, signal) =>
      client.callTool({ name, arguments: args }, undefined, { ...(signal && { signal }) }),
    close: () => client.close(),
  }
}

interface AiClient {
  tools(): Promise<Record<string, { execute(args: object, options: object): Promise<unknown> }>>
  onElicitationRequest(schema: unknown, handle: Answering): void
  close(): Promise<void>
}

async function connectAiSdk(
  house: ClientHouse,
  way: 'lines' | 'web',
  answer: Answering,
): ReturnType<Connect> {
  const { createMCPClient, ElicitationRequestSchema } = await load<{
    createMCPClient: (options: object) => Promise<AiClient>
    ElicitationRequestSchema: unknown
  }>('ai-sdk', 'index.js')
  const { Experimental_StdioMCPTransport: Lines } = await load<{
    Experimental_StdioMCPTransport: Constructor<object, [object]>
  }>('ai-sdk', 'mcp-stdio/index.js')
  const transport =
    way === 'lines'
      ? new Lines(startLine(house))
      : { type: 'http', url: house.url, headers: headersFor(house) }
  const client = await createMCPClient({ transport, capabilities: { elicitation: {} } })
  client.onElicitationRequest(ElicitationRequestSchema, answer)
  return {
    names: async () => Object.keys(await client.tools()),
    call: async (name, args, signal) => {
      const tool = (await client.tools())[name]
      assert.ok(tool, name)
      return await tool.execute(args, { toolCallId: '1', messages: [], abortSignal: signal })
    },
    close: () => client.close(),
  }
}
