/** Real clients of the official SDK, in both eras and over both transports, through the gateway to a sandboxed server. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, environmentFor, MAIN, openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'

const server = (name: string): string =>
  path.join(root, 'test', 'fixtures', 'servers', `${name}.mjs`)

async function openGateway(
  cordon: Cordon,
): Promise<{ readonly url: string; readonly token: string }> {
  await cordon.ask(['up', '--detach'])
  await cordon.ask(['mcp', 'add', 'echo', '--', process.execPath, server('echo')])
  // With a way out it could do something, so that its calls are asked about.
  const outward = ['--allow', 'api.example.com']
  await cordon.ask(['mcp', 'add', 'sender', ...outward, '--', process.execPath, server('sender')])
  return await openClient(cordon)
}

async function openClient(
  cordon: Cordon,
): Promise<{ readonly url: string; readonly token: string }> {
  await cordon.ask(['client', 'add', 'claude'])
  const { url } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  const token = readFileSync(path.join(cordon.home, 'clients', 'claude.key'), 'utf8').trim()
  return { url: url ?? '', token }
}

function overHttp({ url, token }: { readonly url: string; readonly token: string }) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  return new StreamableHTTPClientTransport(new URL(url), { requestInit })
}

function overLines(cordon: Cordon): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'gateway', '--client', 'claude'],
    env: environmentFor(cordon.home),
  })
}

async function connect(
  transport: ReturnType<typeof overHttp> | StdioClientTransport,
  isModern: boolean,
) {
  const mode = isModern ? ({ pin: '2026-07-28' } as const) : 'legacy'
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): string =>
  (result.content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')

test('a client that comes while a new server starts is listed its tools, and can call them', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon)
  const add = async (name: string): Promise<void> => {
    const program = [process.execPath, server('slow'), '1500']
    await cordon.ask(['mcp', 'add', name, '--', ...program])
  }
  const client = await connect(overHttp(gateway), true)
  await add('listed')
  const { tools } = await client.listTools()
  assert.ok(tools.some(({ name }) => name === 'listed__sleep'))
  await add('called')
  assert.equal(textOf(await client.callTool({ name: 'called__sleep' })), 'slept')
  await client.close()
})

test('tools of servers beyond the limit of running ones are listed at the first start', async () => {
  await using cordon = openCordon()
  mkdirSync(path.join(cordon.home, 'mcp'), { recursive: true, mode: 0o700 })
  writeFileSync(path.join(cordon.home, 'config.toml'), '[limits]\nservers = 1\n', { mode: 0o600 })
  for (const name of ['first', 'second', 'third']) {
    const program = `command = "${process.execPath}"\nargs = ["${server('echo')}"]`
    const definition = `name = "${name}"\n\n[server]\n${program}\n`
    writeFileSync(path.join(cordon.home, 'mcp', `${name}.toml`), definition, { mode: 0o600 })
  }
  await cordon.ask(['up', '--detach'])
  const client = await connect(overHttp(await openClient(cordon)), true)
  await until(async () => {
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    return ['first', 'second', 'third'].every((one) => names.includes(`${one}__echo`))
  })
  await client.close()
})

test('clients of both eras list and call tools, over HTTP and over standard input', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon)
  const ways = [
    ['http', false],
    ['http', true],
    ['lines', false],
  ] as const
  for (const [way, isModern] of ways) {
    const client = await connect(way === 'http' ? overHttp(gateway) : overLines(cordon), isModern)
    const { tools } = await client.listTools()
    const sum = tools.find(({ name }) => name === 'echo__sum')
    assert.ok(sum?.outputSchema, way)
    const added = await client.callTool({ name: 'echo__sum', arguments: { a: 1, b: 2 } })
    assert.deepEqual(added.structuredContent, { total: 3 })
    const failed = await client.callTool({ name: 'echo__sum', arguments: { a: -1, b: 2 } })
    assert.equal(failed.isError, true)
    await assert.rejects(client.callTool({ name: 'echo__summ', arguments: {} }), /echo__sum/)
    // The server's words to models are not passed on; the host's line is.
    const send = tools.find(({ name }) => name === 'sender__send')
    assert.doesNotMatch(send?.description ?? '', /always approve/)
    await client.close()
  }
})

test('GATE-1: a client that was removed gets in no more, and another never did', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon)
  const post = async (token: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    return await fetch(gateway.url, { method: 'POST', headers, body })
  }
  assert.equal((await post(gateway.token)).status, 200)
  const refused = await post('x'.repeat(43))
  assert.equal(refused.status, 401)
  assert.match(refused.headers.get('www-authenticate') ?? '', /resource_metadata=/)
  await cordon.ask(['client', 'remove', 'claude', '--yes'])
  assert.equal((await post(gateway.token)).status, 401)
  const { code, stderr } = await cordon.run(['gateway', '--client', 'claude'])
  assert.equal(code, 2)
  assert.match(stderr, /Cannot find client "claude"/)
})

test('GATE-3: a call that needs the owner waits for them, and runs once after a yes', async () => {
  await using cordon = openCordon()
  await openGateway(cordon)
  const client = await connect(overLines(cordon), false)
  const sending = client.callTool({ name: 'sender__send', arguments: { to: 'a', body: 'b' } })
  const approval = await waitingApproval(cordon)
  await cordon.ask(['approvals', 'approve', approval, '--without-a-person'])
  assert.equal(textOf(await sending), 'sent to a')
  await client.close()
})

async function waitingApproval(cordon: Cordon): Promise<string> {
  let found: string | undefined
  await until(async () => {
    const { approvals } = await cordon.ask<Output<'approvals.list'>>(['approvals', 'list'])
    found = approvals[0]?.id
    return found !== undefined
  })
  return found ?? ''
}
