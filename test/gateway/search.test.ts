/** Search in the place of a list: for programs that take few tools, and where the owner wants it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'
import {
  approveNext,
  connectLines,
  namesOf,
  say,
  startServers,
} from '../fixtures/gateway-clients.ts'

const SEARCH = ['call_destructive', 'call_read', 'call_write', 'describe_tool', 'find_tools']

test('the owner forces search: tools are found, described and called, each by the way for its effect', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'], sender: ['sender', 'api.example.com'] })
  await cordon.ask(['client', 'add', 'claude', '--search', 'on'])
  const client = await connectLines(cordon, 'claude')
  const names = await namesOf(client)
  assert.ok(SEARCH.every((name) => names.includes(name)))
  assert.ok(names.every((name) => !name.includes('__')))
  const { tools } = await client.listTools()
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]))
  assert.equal(hints.get('call_read')?.readOnlyHint, true)
  assert.equal(hints.get('call_destructive')?.destructiveHint, true)

  const found = await say(client, 'find_tools', { query: 'send a message' })
  assert.match(found.text.split('\n')[0] ?? '', /^sender__send \(call_\w+\)/)
  // A stranger's words to models are not passed on.
  assert.doesNotMatch(found.text, /always approve/)
  const described = JSON.parse((await say(client, 'describe_tool', { name: 'echo__sum' })).text)
  assert.deepEqual(described.inputSchema.required, ['a', 'b'])
  const right = described.call_with
  const sum = { name: 'echo__sum', arguments: { a: 1, b: 2 } }
  assert.match((await say(client, right, sum)).text, /3/)
  if (right !== 'call_read') {
    const refused = await say(client, 'call_read', sum)
    assert.ok(refused.isError && refused.text.includes(right), refused.text)
  }
  await client.close()
})

test('GATE-4: a destructive tool is not called as a read: the right way is named, and no server is reached', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { sender: ['sender', 'api.example.com'] })
  await cordon.ask(['client', 'add', 'claude', '--search', 'on'])
  const client = await connectLines(cordon, 'claude')
  const send = { name: 'sender__send', arguments: { to: 'a', body: 'b' } }
  const refused = await say(client, 'call_read', send)
  assert.equal(refused.isError, true)
  assert.match(refused.text, /call it with call_(write|destructive)/)
  const sent = say(client, 'call_destructive', { name: 'sender__sent', arguments: {} })
  await approveNext(cordon)
  assert.equal((await sent).text, '[]')
  await client.close()
})

test('a program with a known limit gets the search above it, by its own word or by the owner’s', async () => {
  await using cordon = openCordon()
  const eight = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`echo${at}`, ['echo'] as const]),
  )
  await startServers(cordon, eight)
  await cordon.ask(['client', 'add', 'plain'])
  const unknown = await connectLines(cordon, 'plain', 'somebody')
  assert.ok((await namesOf(unknown)).length >= 48)
  await unknown.close()
  // 48 tools: more than Cursor's 40, fewer than the 128 of VS Code.
  const cursor = await connectLines(cordon, 'plain', 'cursor-vscode')
  assert.ok((await namesOf(cursor)).includes('find_tools'))
  await cursor.close()
  await cordon.ask(['client', 'edit', 'plain', '--kind', 'vscode'])
  const vscode = await connectLines(cordon, 'plain', 'cursor-vscode')
  assert.ok(!(await namesOf(vscode)).includes('find_tools'))
  await cordon.ask(['client', 'edit', 'plain', '--budget', '500'])
  assert.ok((await namesOf(vscode)).includes('find_tools'))
  await cordon.ask(['client', 'edit', 'plain', '--search', 'off'])
  assert.ok(!(await namesOf(vscode)).includes('find_tools'))
  await vscode.close()
  const cost = await cordon.ask<Output<'contexts.cost'>>(['context', 'cost'])
  assert.equal(cost.tools, 48)
  assert.ok(cost.searchTokens > 0 && cost.servers.length === 8)
})

test('a search finds only what the contexts of the client hold', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'], sender: ['sender'] })
  await cordon.ask(['context', 'add', 'work', 'echo'])
  await cordon.ask(['client', 'add', 'claude', '--search', 'on', '--context', 'work'])
  const client = await connectLines(cordon, 'claude')
  assert.doesNotMatch((await say(client, 'find_tools', { query: 'send message' })).text, /sender/)
  const call = { name: 'call_destructive', arguments: { name: 'sender__send', arguments: {} } }
  await assert.rejects(client.callTool(call), /no tool/)
  await client.close()
})

test('words to a model in the schema of a tool are passed on neither in the list nor in a description', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { poisoned: ['attack-poisoned'] })
  await cordon.ask(['client', 'add', 'claude'])
  const client = await connectLines(cordon, 'claude')
  const { tools } = await client.listTools()
  const own = tools.filter(({ name }) => name.startsWith('poisoned__'))
  assert.ok(own.some(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}).length > 0))
  assert.doesNotMatch(JSON.stringify(own), /PLANTED|IMPORTANT|mcp\.json/)
  await client.close()
})
