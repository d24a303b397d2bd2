/**
 * One scenario of the conformance suite, done by the real Cordon in a home of its own. Acts as an owner would, through
 * the API alone: connects the server, signs in with a browser, calls every tool, and answers what is asked.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { followFlow, isOver } from '../../src/api/client.ts'
import type { Api } from '../../src/api/contract.ts'
import { openHouse } from '../../src/house/open-house.ts'
import type { ConnectionView } from '../../src/ports/setup-port.ts'
import type { Json } from '../../src/text/json.ts'
import { argumentsFor } from './arguments-for.ts'
import { openTlsProxy, toCordon, toSuite } from './tls-proxy.ts'

export interface Scenario {
  readonly name: string
  /** The address of the suite's server. */
  readonly url: string
  /** The suite's facts for this scenario: a client registered beforehand, calls to make. */
  readonly context: {
    readonly client_id?: string
    readonly client_secret?: string
    readonly issuer?: string
    readonly toolCalls?: readonly ToolCall[]
  }
}

interface ToolCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, Json>>
}

/** The suite's name for a client's metadata document (CIMD); no scenario reads it. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json'
const OVER = new Set(['connected', 'failed', 'cancelled'])
/** A person who is told that the service wants more signs in again, so often and no more. */
const MOST_SIGN_INS = 3

/** Returns the messages to the owner, and how each call ended. */
export async function actAsClient(scenario: Scenario): Promise<readonly string[]> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-conformance-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const proxy = stack.use(await openTlsProxy())
  writeFileSync(path.join(folder, 'config.toml'), settingsFor(scenario), { mode: 0o600 })
  const api = stack.use(await openHome(folder, proxy.outside))
  await api.call('vault.init', { source: 'keyfile' })
  const { client_secret: secret } = scenario.context
  if (secret !== undefined) await api.call('vault.set', { name: 'own_client', value: secret })
  const said: string[] = []
  for (let time = 0; time < MOST_SIGN_INS; time += 1) {
    const view = await connect(api, toCordon(scenario.url))
    said.push(...view.said)
    if (view.phase !== 'connected') break
    if (scenario.name === 'http-custom-headers') await allowHeaders(api, view.service)
    const answers = await callTools(api, view.service, scenario)
    said.push(...answers)
    if (!answers.some((answer) => /setup\.scope|sign in/i.test(answer))) break
  }
  return said
}

async function openHome(
  homePath: string,
  outside: Parameters<typeof openHouse>[0]['outside'],
): ReturnType<typeof openHouse> {
  const nothing = { databaseUrl: undefined, environment: {}, entry: '', page: false, port: 0 }
  return await openHouse({ version: '0.0.0', homePath, ...nothing, ...(outside && { outside }) })
}

function settingsFor({ url, context }: Scenario): string {
  const { client_id: id, client_secret: secret, issuer = '' } = context
  const lines = ['[sign_in]', `client_document = ${JSON.stringify(CLIENT_DOCUMENT)}`]
  if (id !== undefined && secret !== undefined) {
    lines.push(
      `[oauth.${JSON.stringify(new URL(toCordon(url)).hostname)}]`,
      `client_id = ${JSON.stringify(id)}`,
      'client_secret = "vault:own_client"',
      `issuer = ${JSON.stringify(toCordon(issuer))}`,
    )
  }
  return lines.join('\n')
}

async function connect(api: Api, name: string): Promise<ConnectionView> {
  let view = await api.call('connect.start', { name })
  let opened: string | undefined
  while (!OVER.has(view.phase)) {
    const page = view.question?.authorize
    if (view.question && page === undefined) return view // asks for a token, which nobody has
    if (page !== undefined && page !== opened) await visit(page)
    opened = page
    view = await api.call('connect.follow', { connection: view.connection, after: view.version })
  }
  return view
}

/** A browser whose owner agrees to everything: follows the one redirect back to Cordon. */
async function visit(page: string): Promise<void> {
  const response = await fetch(toSuite(page), { redirect: 'manual' })
  const back = response.headers.get('location')
  if (back === null) return
  const callback = new URL(back)
  for (const [name, value] of callback.searchParams) {
    callback.searchParams.set(name, toCordon(value))
  }
  await fetch(callback)
}

/** Arguments are mirrored in headers (SEP-2243) only for a server whose data is not above `internal`. */
async function allowHeaders(api: Api, server: string): Promise<void> {
  await api.call('mcp.edit', { server, changes: { label: 'internal' } })
  await api.call('mcp.restart', { server })
}

async function callTools(api: Api, server: string, scenario: Scenario): Promise<string[]> {
  const { tools } = await api.call('mcp.tools', { server })
  const [first] = tools
  const every = tools.map(({ name, inputSchema }) => {
    const fitting = argumentsFor(inputSchema)
    // `json_schema_echo` wants back the schema of the other tool, as Cordon received it.
    const schema = 'schema' in fitting && { schema: first?.inputSchema as Json }
    return { name, arguments: { ...fitting, ...schema } }
  })
  const answers: string[] = []
  for (const call of scenario.context.toolCalls ?? every) {
    const isAsked = scenario.name.startsWith('elicitation')
    const answer = await (isAsked ? runAndAnswer : callOnce)(api, server, call)
    answers.push(`${call.name}: ${JSON.stringify(answer)}`)
  }
  return answers
}

async function callOnce(api: Api, server: string, call: ToolCall): Promise<unknown> {
  const { name: tool, arguments: args } = call
  return await api.call('mcp.call', { server, tool, args, approval: 'given' })
}

/** Calls the tool in a run, and answers the server's question with the defaults that it offers. */
async function runAndAnswer(api: Api, server: string, { name }: ToolCall): Promise<unknown> {
  const id = randomUUID()
  const source = { kind: 'text', text: `${server}.${name}` } as const
  await api.call('flows.start', { id, source, inputs: {}, approval: 'given' })
  const { question } = await followFlow(api, id, ({ run }) => isOver(run))
  if (!question) return await api.call('flows.show', { id })
  await api.call('flows.answer', { id, question: question.id, choice: 'accept', value: {} })
  return await followFlow(api, id, ({ run }) => isOver(run))
}
