/** Turns and results: in order, bounded, with their labels, without credentials, and forgotten exactly. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import type { Memory } from '../../src/ports/memory-port.ts'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import type { Reply } from '../../src/kernel/receive.ts'
import { isTrusted, OWN_WORDS } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { createRecordTurn } from '../../src/memory/record-turns.ts'
import { MADE_UP_TOKENS } from '../../src/text/test-tokens.ts'
import type { Json } from '../../src/text/json.ts'
import { bare, external, factOf, log, openMemoryHouse } from './memory-house.ts'

const TOKEN = MADE_UP_TOKENS['Notion'] ?? ''
const own = (text: Json) => new Labelled(text, { label: OWN_WORDS })
const toolOf = (server: string) => ({ server: server as never, name: 'search' })

function recorder(memory: Memory, isSecretAsked = false) {
  const deps = { owner: OWNER.id, memory, log, isSecretAsked: () => isSecretAsked }
  const record = createRecordTurn(deps)
  return (by: 'setup' | 'chat', text: string, reply: Reply | CordonError | undefined) =>
    record(by, { principal: OWNER, text }, async () => {
      if (reply instanceof CordonError) throw reply
      return reply
    })
}

const HERE = { channel: 'terminal', conversation: 'terminal' }

test('the last turns come back in order, and all of them can be searched', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  for (let n = 1; n <= 25; n++)
    await memory.addTurn({ ...HERE, said: `question ${n}`, answer: own(`answer ${n}`) })
  const last = await memory.turns(20)
  assert.deepEqual(
    [last.length, last[0]?.said, bare(last.at(-1)?.answer)],
    [20, 'question 6', 'answer 25'],
  )
  assert.deepEqual(
    (await memory.searchTurns('ANSWER 3', 5)).map(({ number }) => number),
    [23, 13, 3],
  )
})

// Regression 18
test('MEMORY-1: a credential is in no turn, whether it was pasted, spelled out, or lent', async () => {
  await using house = await openMemoryHouse()
  const { memory, redactor } = house
  redactor.learn(Buffer.from('plainwordsecret99'))
  const record = recorder(memory)
  await record('setup', TOKEN, { kind: 'text', text: 'Stored.', wasSecret: true })
  await recorder(memory, true)('setup', 'hunter2', { kind: 'text', text: 'Too short.' })
  const broken = new CordonError('setup.x', { exit: 5, hint: 'Try again' }, 'Cannot connect')
  await assert.rejects(record('setup', 'hunter2', broken))
  await record('chat', `use ${TOKEN} please`, { kind: 'text', text: 'no plainwordsecret99' })
  await record('chat', 'my password is hunter2', { kind: 'text', text: 'I see' })
  const turns = await memory.turns(20)
  assert.deepEqual(
    turns.map(({ said, answer }) => [said, bare(answer)]),
    [
      ['[credential pasted]', 'Stored.'],
      ['[credential pasted]', 'Too short.'],
      ['[credential pasted]', 'Cannot connect'],
      ['use [hidden] please', 'no [redacted]'],
      ['my password is [hidden]', 'I see'],
    ],
  )
})

test('a failed turn is recorded; an unanswered one, one about memory and one of others is not', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  const record = recorder(memory)
  const broken = new CordonError('call.x', { exit: 5, hint: 'Try again' }, 'Cannot call')
  await assert.rejects(record('chat', 'notion.search', broken), broken)
  await record('chat', 'hm', undefined)
  await record('chat', '/memory', { kind: 'text', text: 'a fact', isUnrecorded: true })
  const deps = { owner: OWNER.id, memory, log, isSecretAsked: () => false }
  const bob = { kind: 'cron', id: parsePrincipalId('principal:telegram:peer:1') } as const
  const reply: Reply = { kind: 'text', text: 'x' }
  await createRecordTurn(deps)('chat', { principal: bob, text: 'his' }, async () => reply)
  assert.deepEqual(
    (await memory.turns(20)).map(({ said, answer }) => [said, bare(answer)]),
    [['notion.search', 'Cannot call']],
  )
})

test('a turn that cannot be written takes no answer away', async () => {
  const memory = { addTurn: () => Promise.reject(new Error('full')) }
  const record = createRecordTurn({ owner: OWNER.id, memory, log, isSecretAsked: () => false })
  const reply: Reply = { kind: 'text', text: 'done' }
  assert.equal(await record('chat', { principal: OWNER, text: 'x' }, async () => reply), reply)
})

test('MEMORY-2: the last ten results are handles with their labels, and their values come back whole', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  for (let n = 1; n <= 12; n++)
    await memory.addResult(toolOf('mail'), new Labelled([n, 'x'], { label: external('mail') }))
  const handles = await memory.results()
  assert.deepEqual(
    handles.map(({ name }) => name),
    Array.from({ length: 10 }, (_, n) => `result${n + 3}`),
  )
  const { at: _at, ...handle } = handles[9] ?? { at: 0 }
  assert.deepEqual(handle, { name: 'result12', type: 'list', count: 2, from: toolOf('mail') })
  await using again = await openMemoryHouse(house.file.replace('/state.db', ''))
  const value = await again.memory.value('result12')
  assert.deepEqual(bare(value), [12, 'x'])
  assert.equal(value && isTrusted(value.label), false)
  assert.equal(await again.memory.value('result1'), undefined)
})

test('a conversation sees its own results after those of no conversation, and never those of another', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  const add = (where?: string) => memory.addResult(toolOf('mail'), own('x'), where)
  for (const where of ['a', 'b', undefined, 'b']) await add(where)
  const names = async (where?: string) => (await memory.results(where)).map(({ name }) => name)
  assert.deepEqual(await names('a'), ['result3', 'result1'])
  assert.deepEqual(await names('b'), ['result3', 'result2', 'result4'])
  assert.deepEqual(await names(), ['result1', 'result2', 'result3', 'result4'])
  for (let n = 0; n < 12; n++) await add('b')
  assert.deepEqual(await names('a'), ['result3', 'result1'], 'others do not push it out')
  assert.equal((await names('b')).length, 10)
})

test('a result that is too large or holds a credential is not kept, rather than kept in part', async () => {
  await using house = await openMemoryHouse()
  const { memory, redactor } = house
  redactor.learn(Buffer.from('plainwordsecret99'))
  for (const value of ['x'.repeat(1_000_001), { token: TOKEN }, ['plainwordsecret99']])
    assert.equal(await memory.addResult(toolOf('mail'), own(value)), undefined)
  assert.deepEqual(await memory.results(), [])
})

test('MEMORY-3: forgetting what came from a server, a day or a channel removes exactly that', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  const day = (text: string) => new Date(`${text}T12:00:00`).getTime() // of this machine
  house.now = day('2026-11-15')
  await memory.remember(factOf('a is old'))
  await memory.remember(factOf('b is of mail', external('mail')))
  await memory.remember(factOf('c is of mail through notes', external('mail via notes')))
  const there = { channel: 'telegram', conversation: 'telegram/1' }
  await memory.addTurn({ ...there, said: 'old', answer: own('x') })
  house.now = day('2026-11-16')
  await memory.remember(factOf('d is of mailing', external('mailing')))
  await memory.addTurn({
    ...HERE,
    said: 'mail?',
    answer: new Labelled('y', { label: external('mail') }),
  })
  await memory.addResult(toolOf('mail'), own('no label says so'))
  await memory.addResult(toolOf('notes'), own('z'))
  assert.deepEqual(await memory.forgetFrom('mail', true), { facts: 2, results: 1, turns: 1 })
  assert.equal((await memory.facts()).length, 4)
  assert.deepEqual(await memory.forgetFrom('mail', false), { facts: 2, results: 1, turns: 1 })
  assert.deepEqual(await memory.forgetFrom('mail', false), { facts: 0, results: 0, turns: 0 })
  assert.deepEqual(
    (await memory.facts()).map(({ text }) => bare(text)),
    ['a is old', 'd is of mailing'],
  )
  assert.deepEqual(await memory.forgetFrom('telegram', true), { facts: 0, results: 0, turns: 1 })
  assert.deepEqual(await memory.forgetFrom('yesterday', true), { facts: 1, results: 0, turns: 1 })
  assert.deepEqual(await memory.forgetFrom('2026-11-16', true), { facts: 1, results: 1, turns: 0 })
  assert.deepEqual(await memory.forgetFrom('everywhere', false), { facts: 2, results: 1, turns: 1 })
  assert.deepEqual(
    [await memory.facts(), await memory.turns(9), await memory.results()],
    [[], [], []],
  )
  assert.deepEqual(
    house.events.filter(({ kind }) => kind === 'memory.forgotten').map(({ details }) => details),
    [
      { facts: 2, results: 1, turns: 1 },
      { facts: 2, results: 1, turns: 1 },
    ],
  )
})
