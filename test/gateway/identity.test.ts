/** The identity of a client while it is connected: its budget, its last request, and the end of its access. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { findSocketApi } from '../../src/api/client.ts'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, environmentFor, MAIN, openCordon, root } from '../fixtures/cordon.ts'
import { FOR_EVER_MS, until } from '../fixtures/until.ts'

const server = (name: string): string =>
  path.join(root, 'test', 'fixtures', 'servers', `${name}.mjs`)

async function openGateway(cordon: Cordon, ...names: readonly string[]): Promise<string> {
  await cordon.ask(['up', '--detach'])
  for (const name of names) {
    await cordon.ask(['mcp', 'add', name, '--', process.execPath, server(name)])
  }
  await cordon.ask(['client', 'add', 'claude'])
  await cordon.ask(['client', 'add', 'other'])
  return (await cordon.ask<Output<'clients.list'>>(['client', 'list'])).url ?? ''
}

function tokenOf(cordon: Cordon, name: string): string {
  return readFileSync(path.join(cordon.home, 'clients', `${name}.key`), 'utf8').trim()
}

async function connect(cordon: Cordon, name: string, url?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = { Authorization: `Bearer ${tokenOf(cordon, name)}` }
  const args = [MAIN, 'gateway', '--client', name]
  const lines = { command: process.execPath, args, env: environmentFor(cordon.home) }
  await client.connect(
    url === undefined
      ? new StdioClientTransport(lines)
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  )
  return client
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): string =>
  (result.content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')

/** Calls that began and have no end in the audit log. */
async function openCalls(cordon: Cordon): Promise<number> {
  await using api = await findSocketApi(path.join(cordon.home, 'run', 'cordon.sock'))
  assert.ok(api)
  const { records } = await api.call('audit.read', { limit: 200 })
  const kinds = records.map(({ kind }) => kind)
  return count(kinds, 'call.begin') - count(kinds, 'call.end')
}

function count(kinds: readonly string[], kind: string): number {
  return kinds.filter((one) => one === kind).length
}

test('CLIENT-1: a removed client loses its open connections and the call under way; another keeps both', async () => {
  await using cordon = openCordon()
  const url = await openGateway(cordon, 'slow', 'echo')
  const stays = await connect(cordon, 'other')
  for (const way of [undefined, url]) {
    const client = await connect(cordon, 'claude', way)
    const { tools } = await client.listTools()
    const slow = tools.find(({ name }) => name.startsWith('slow__'))?.name ?? ''
    const calling = client.callTool({ name: slow, arguments: { ms: FOR_EVER_MS } }).then(
      () => 'answered',
      () => 'cut off',
    )
    await until(async () => (await openCalls(cordon)) === 1)
    await cordon.ask(['client', 'remove', 'claude', '--yes'])
    // The call has no end of its own: it is over because it was cancelled.
    await until(async () => (await openCalls(cordon)) === 0)
    assert.equal(await calling, 'cut off')
    const sum = await stays.callTool({ name: 'echo__sum', arguments: { a: 1, b: 2 } })
    assert.deepEqual(sum.structuredContent, { total: 3 })
    await client.close()
    await cordon.ask(['client', 'add', 'claude'])
  }
  await stays.close()
})

test('a client has the budget that the owner gave it, from the next call on, and others have theirs', async () => {
  await using cordon = openCordon()
  await openGateway(cordon, 'echo')
  const [client, other] = [await connect(cordon, 'claude'), await connect(cordon, 'other')]
  const sum = (of: Client) => of.callTool({ name: 'echo__sum', arguments: { a: 1, b: 2 } })
  assert.deepEqual((await sum(client)).structuredContent, { total: 3 })
  await cordon.ask(['client', 'edit', 'claude', '--calls-per-minute', '2'])
  for (let call = 0; call < 2; call += 1) assert.notEqual((await sum(client)).isError, true)
  const refused = await sum(client)
  assert.equal(refused.isError, true)
  assert.match(textOf(refused), /2 calls a minute.*try again in \d+ seconds/)
  assert.deepEqual((await sum(other)).structuredContent, { total: 3 })
  await cordon.ask(['client', 'edit', 'claude', '--calls-per-minute', 'none'])
  assert.notEqual((await sum(client)).isError, true)
  const call = ['client', 'edit', 'claude', '--megabytes-per-day', '1']
  await cordon.ask(call)
  const text = 'x'.repeat(600_000)
  const echo = (of: Client) => of.callTool({ name: 'echo__echo', arguments: { text } })
  await echo(client)
  await echo(client)
  assert.match(textOf(await echo(client)), /1000000 bytes of results a day/)
  const { clients } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  assert.deepEqual(clients[0]?.limits, { bytesPerDay: 1_000_000 })
  assert.ok(Date.parse(clients[0]?.lastUsedAt ?? '') > Date.parse(clients[0]?.createdAt ?? ''))
  await client.close()
  await other.close()
})
