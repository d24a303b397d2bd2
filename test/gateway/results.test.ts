/** Results that are too long for a program: kept as handles, read in parts, handed on without being copied. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import { connectLines, namesOf, say, startServers } from '../fixtures/gateway-clients.ts'

const LONG = JSON.stringify({
  items: Array.from({ length: 4000 }, (_, at) => ({ id: at, note: `number ${at} of a long list` })),
})

test('a result above the limit of the program is a handle with its beginning, and is read in parts', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'] })
  await cordon.ask(['client', 'add', 'claude', '--kind', 'claude-code'])
  const client = await connectLines(cordon, 'claude')
  assert.ok((await namesOf(client)).includes('read_result'))
  const short = await say(client, 'echo__echo', { text: 'short' })
  assert.equal(short.text, 'short')
  const long = await say(client, 'echo__echo', { text: LONG })
  assert.match(long.text, /kept as r1 /)
  assert.ok(long.text.length < 4000)
  assert.ok(long.text.includes(LONG.slice(0, 100)))

  const item = await say(client, 'read_result', { id: 'r1', path: 'items.3999' })
  assert.deepEqual(JSON.parse(item.text), { id: 3999, note: 'number 3999 of a long list' })
  const range = await say(client, 'read_result', { id: 'r1', offset: 10, limit: 20 })
  assert.ok(range.text.startsWith(LONG.slice(10, 30)))
  const none = await say(client, 'read_result', { id: 'r1', path: 'items.4000' })
  assert.equal(none.isError, true)

  // The value goes from one tool to the other as it is.
  const id = { $result: 'r1', path: 'items.41.id' }
  assert.match((await say(client, 'echo__sum', { a: id, b: 1 })).text, /42/)
  const note = { $result: 'r1', path: 'items.7.note' }
  assert.equal((await say(client, 'echo__echo', { text: note })).text, 'number 7 of a long list')
  const lost = await say(client, 'echo__echo', { text: { $result: 'r9' } })
  assert.deepEqual([lost.isError, /no result "r9"/.test(lost.text)], [true, true])
  await client.close()
})

test('GATE-5: a handle of one client, or of its other session, opens nothing', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'] })
  await cordon.ask(['client', 'add', 'one', '--kind', 'claude-code'])
  await cordon.ask(['client', 'add', 'two', '--kind', 'claude-code'])
  const one = await connectLines(cordon, 'one')
  const again = await connectLines(cordon, 'one')
  const two = await connectLines(cordon, 'two')
  assert.match((await say(one, 'echo__echo', { text: LONG })).text, /kept as r1 /)
  assert.equal((await say(one, 'read_result', { id: 'r1', path: 'items.5.id' })).text, '5')
  for (const other of [again, two]) {
    const read = await say(other, 'read_result', { id: 'r1', path: 'items.5.id' })
    assert.deepEqual([read.isError, /no result/.test(read.text)], [true, true])
    const given = await say(other, 'echo__echo', { text: { $result: 'r1', path: 'items.5.note' } })
    assert.deepEqual([given.isError, /no result/.test(given.text)], [true, true])
  }
  await Promise.all([one, again, two].map((client) => client.close()))
})

test('a program without a known limit gets the whole result', async () => {
  await using cordon = openCordon()
  await startServers(cordon, { echo: ['echo'] })
  await cordon.ask(['client', 'add', 'plain'])
  const client = await connectLines(cordon, 'plain')
  assert.ok(!(await namesOf(client)).includes('read_result'))
  assert.equal((await say(client, 'echo__echo', { text: LONG })).text, LONG)
  await client.close()
})
