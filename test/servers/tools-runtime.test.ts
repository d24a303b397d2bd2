/** The host's view of the tools of real processes: facts, labels of their answers, and search. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Labelled } from '../../src/labels/labelled.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { define, never, openHouse } from './runtime/direct-sandbox.ts'

const echo = parseServerId('echo')

test("a named field of a structured answer is the service's own; text that looks like it is not", async () => {
  const tools = { sum: { fields: ['total'] }, echo: { fields: ['[*].text', 'total'] } }
  await using house = await openHouse([define('echo', 'echo', { tools })])
  const sum = await house.call('echo', 'sum', { a: 1, b: 2 })
  assert.ok(sum.kind === 'ok' && sum.labels)
  const labelled = new Labelled(sum.value, sum.labels)
  assert.equal(labelled.at('total')?.label.integrity, 'system')
  assert.deepEqual(labelled.at('total')?.from, {
    kind: 'tool',
    server: 'echo',
    tool: 'sum',
    callId: 'c1',
  })
  const said = await house.call('echo', 'echo', { text: '{"total": 3}' })
  assert.ok(said.kind === 'ok' && said.labels)
  const text = new Labelled(said.value, said.labels)
  assert.equal(text.at(0, 'text')?.label.integrity, 'external')
})

test('a declared field in JSON text of a known server counts as the server’s own data', async () => {
  const tools = { echo: { answers: 'json', fields: ['items[*].id'] } } as const
  await using house = await openHouse([define('echo', 'echo', { tools })])
  const answer = await house.call('echo', 'echo', { text: '{"items": [{"id": 3, "title": "x"}]}' })
  assert.ok(answer.kind === 'ok' && answer.labels)
  const labelled = new Labelled(answer.value, answer.labels)
  assert.equal(labelled.at('items', 0, 'id')?.label.integrity, 'system')
  assert.equal(labelled.at('items', 0, 'title')?.label.integrity, 'external')
  const words = await house.call('echo', 'echo', { text: 'items' })
  assert.ok(words.kind === 'ok')
  assert.deepEqual(words.value, [{ type: 'text', text: 'items' }])
})

test('facts about a tool are kept until its definition changes', async () => {
  const definitions = [define('echo', 'echo', { tools: { echo: { semantics: 'write' } } })]
  await using house = await openHouse(definitions)
  const know = () => house.servers.know({ server: echo, name: 'echo' }, never)
  const first = await know()
  assert.equal(first.effect, 'write')
  assert.equal(first.roles.get('text'), 'content')
  assert.equal(await know(), first)
  definitions[0] = define('echo', 'echo', { tools: { echo: { semantics: 'exec' } } })
  await house.servers.refresh()
  assert.equal((await know()).effect, 'exec')
})

test('tools of a server that ran once are found without starting it again', async () => {
  await using house = await openHouse([define('echo', 'echo')])
  await house.servers.start(echo, never)
  await house.servers.stop(echo)
  const { toolIndex } = house.servers
  const [found] = await toolIndex.search('sum', 5)
  assert.equal(found?.id.name, 'sum')
  assert.equal((await toolIndex.list(echo)).length, 6)
  assert.equal(house.running(), 0)
})
