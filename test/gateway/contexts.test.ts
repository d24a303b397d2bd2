/** Contexts: which servers and tools a client is offered, switched without touching its configuration. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'
import {
  connectHttp,
  connectLines,
  namesOf,
  say,
  startServers,
} from '../fixtures/gateway-clients.ts'

test('GATE-4: a tool outside the contexts of a client is not listed, and a call of it reaches no server', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'], other: ['echo'], sender: ['sender'] })
  await cordon.ask(['client', 'add', 'claude'])
  const client = await connectLines(cordon, 'claude')
  const before = await namesOf(client)
  assert.ok(before.includes('sender__send') && before.includes('echo__sum'))

  await cordon.ask(['context', 'add', 'work', 'echo.sum', 'other'])
  await cordon.ask(['context', 'use', 'work'])
  const now = await namesOf(client)
  assert.deepEqual(
    now.filter((name) => /^(echo|sender)__/.test(name)),
    ['echo__sum'],
  )
  assert.ok(now.includes('other__echo'))
  assert.match((await say(client, 'echo__sum', { a: 1, b: 2 })).text, /3/)
  await assert.rejects(
    client.callTool({ name: 'sender__send', arguments: { to: 'a' } }),
    /no tool .*cordon context edit work/,
  )
  await assert.rejects(client.callTool({ name: 'echo__echo', arguments: { text: 'a' } }), /no tool/)

  await cordon.ask(['context', 'use', '--all'])
  assert.deepEqual(await namesOf(client), before)
  assert.equal((await say(client, 'sender__sent')).text, '[]')
  await client.close()
})

test('clients and contexts are many-to-many; edits hold at once, over HTTP as well', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'], sender: ['sender'] })
  await cordon.ask(['context', 'add', 'a', 'echo'])
  await cordon.ask(['context', 'add', 'b', 'sender.sent'])
  await cordon.ask(['client', 'add', 'one', '--context', 'a', 'b'])
  await cordon.ask(['client', 'add', 'two', '--context', 'b'])
  // A new connection each time: a client of the modern era may keep a list for its five seconds.
  const listed = async (name: string) => {
    const client = await connectHttp(cordon, name)
    const names = await namesOf(client)
    await client.close()
    return names
  }
  const servers = (names: readonly string[]) => [
    ...new Set(names.filter((name) => name.includes('__')).map((name) => name.split('__')[0])),
  ]
  assert.deepEqual(servers(await listed('one')), ['echo', 'sender'])
  assert.deepEqual(servers(await listed('two')), ['sender'])
  await cordon.ask(['context', 'edit', 'b', '--add', 'sender', '--remove', 'sender.sent'])
  assert.ok((await listed('two')).includes('sender__send'))
  await cordon.ask(['context', 'edit', 'b', '--remove', 'sender'])
  // An empty context offers nothing: it does not mean everything.
  assert.deepEqual(servers(await listed('two')), [])
  assert.deepEqual(servers(await listed('one')), ['echo'])
})

test('a context that is used cannot be removed, and a mistyped name is told', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'] })
  const unknown = await cordon.run(['context', 'add', 'work', 'ecco'])
  assert.deepEqual([unknown.code, /Did you mean "echo"/.test(unknown.stderr)], [2, true])
  await cordon.ask(['context', 'add', 'work', 'echo'])
  const mistyped = await cordon.run(['client', 'add', 'claude', '--context', 'worc'])
  assert.deepEqual([mistyped.code, /Did you mean "work"/.test(mistyped.stderr)], [2, true])
  const absent = await cordon.run(['context', 'edit', 'work', '--remove', 'ecco'])
  assert.deepEqual([absent.code, /it is not in it/.test(absent.stderr)], [2, true])
  const tool = await cordon.run(['context', 'edit', 'work', '--add', 'echo.some'])
  assert.match(tool.stdout, /echo has no tool echo\.some now/)
  const none = await cordon.run(['client', 'remove', 'cloude'])
  assert.match(none.stderr, /Cannot find client "cloude"/, 'nobody is asked about it')
  await cordon.ask(['client', 'add', 'claude', '--context', 'work'])
  const used = await cordon.run(['context', 'remove', 'work'])
  assert.deepEqual([used.code, /claude is limited to it/.test(used.stderr)], [2, true])
  const { contexts } = await cordon.ask<Output<'contexts.list'>>(['context', 'list'])
  assert.deepEqual(contexts[0]?.clients, ['claude'])
  await cordon.ask(['client', 'edit', 'claude', '--all-contexts'])
  await cordon.ask(['context', 'remove', 'work', '--yes'])
  assert.equal((await cordon.run(['context', 'show', 'work'])).code, 2)
})
