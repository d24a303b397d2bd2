/** Facts: kept when asked for, replaced by their subject, found, changed, and never a credential. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { parsePrincipalId } from '../../src/kernel/principal.ts'
import { isTrusted } from '../../src/labels/label.ts'
import { MADE_UP_TOKENS } from '../../src/text/test-tokens.ts'
import { bare, external, factOf, openMemoryHouse } from './memory-house.ts'

const texts = (facts: readonly { text: Parameters<typeof bare>[0] }[]) =>
  facts.map(({ text }) => bare(text))

/** Copies the first fact until there are so many, in one transaction: to keep each one would take seconds. */
function fill(file: string, most: number): void {
  using database = new DatabaseSync(file)
  database.exec(`
    with recursive n(i) as (select 2 union all select i + 1 from n where i < ${most})
    insert into memory_fact
      select principal, 'text:copy ' || i, text, labels, source, kept_at, i, used_at
      from memory_fact, n where number = 1`)
}

test('a fact about the same subject replaces the earlier one, and says which', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  await memory.remember(factOf('my dentist is Dr. Adeyemi'))
  await memory.remember(factOf('I am vegetarian'))
  await memory.remember(factOf('I am allergic to nuts'))
  const { fact, replaced } = await memory.remember(factOf('My dentist is Dr. Osei'))
  assert.deepEqual([fact.number, bare(replaced?.text)], [1, 'my dentist is Dr. Adeyemi'])
  assert.deepEqual(texts(await memory.facts()), [
    'My dentist is Dr. Osei',
    'I am vegetarian',
    'I am allergic to nuts',
  ])
  assert.deepEqual(
    house.events.map(({ kind, details }) => [kind, details?.['replaced']]),
    [false, false, false, true].map((one) => ['memory.kept', one]),
  )
  assert.doesNotMatch(JSON.stringify(house.events), /dentist|Osei/)
})

test('MEMORY-1: a credential is not kept as a fact, by its shape, its name, or because the vault lent it', async () => {
  await using house = await openMemoryHouse()
  const { memory, redactor, file } = house
  redactor.learn(Buffer.from('plainwordsecret'))
  const refused = [
    'my wifi password is hunter2xyz',
    'my PIN is 4711',
    `the key of notion is ${MADE_UP_TOKENS['Notion']}`,
    'postgres://ann:sesamopen@db.test/x is the database',
    'the word is plainwordsecret',
    'our wifi passwords are hunter2xyz and other',
  ]
  for (const text of refused)
    await assert.rejects(memory.remember(factOf(text)), { code: 'memory.credential' }, text)
  assert.deepEqual(await memory.facts(), [])
  const stored = readFileSync(file, 'latin1') + readFileSync(`${file}-wal`, 'latin1')
  assert.doesNotMatch(stored, /hunter2xyz|4711|sesamopen|plainwordsecret/)
  await memory.remember(factOf('my house key is under the mat'))
  await memory.remember(factOf('my flight is LH 441 on 2026-12-01'))
})

test('a text that is no sentence is refused, with a bound on its length and on their number', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  for (const text of ['🎉🎉', ' \u200b ', 'x '.repeat(200)])
    await assert.rejects(memory.remember(factOf(text)), { code: 'memory.not-a-fact' })
  await memory.remember(factOf('number 1 is 1'))
  fill(house.file, 500)
  await assert.rejects(memory.remember(factOf('number 501 is 501')), { code: 'memory.full' })
  const { replaced } = await memory.remember(factOf('number 1 is lucky'))
  assert.equal(bare(replaced?.text), 'number 1 is 1')
  assert.equal((await memory.facts()).length, 500)
})

test('MEMORY-2: a fact of others keeps its label after a restart, and one that the owner rewrites is theirs', async () => {
  await using house = await openMemoryHouse()
  const tool = { server: 'mail' as never, name: 'read' }
  await house.memory.remember(factOf('the meeting is at ten', external('mail'), { tool }))
  {
    await using again = await openMemoryHouse(house.file.replace('/state.db', ''))
    const [fact] = await again.memory.facts()
    assert.equal(fact && isTrusted(fact.text.label), false)
    assert.deepEqual([...(fact?.text.label.origins ?? [])], ['mail'])
    assert.deepEqual(fact?.source.tool, tool)
  }
  const { fact } = await house.memory.edit(1, factOf('the meeting is at eleven'))
  assert.equal(isTrusted(fact.text.label), true)
})

test('a fact is changed by its number, but never into the subject of another one', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  await memory.remember(factOf('my dentist is Dr. Adeyemi'))
  await memory.remember(factOf('my doctor is Dr. Osei'))
  const { replaced } = await memory.edit(2, factOf('my doctor is Dr. Lee'))
  assert.equal(bare(replaced?.text), 'my doctor is Dr. Osei')
  await assert.rejects(memory.edit(2, factOf('my dentist is Dr. Lee')), {
    code: 'memory.same-subject',
  })
  await assert.rejects(memory.edit(7, factOf('x is y')), { code: 'memory.no-fact' })
  await assert.rejects(memory.forget({ facts: [1, 7] }), { code: 'memory.no-fact' })
  assert.equal((await memory.facts()).length, 2)
})

test('relevant facts share words with a sentence, the best first, and their use is noted', async () => {
  await using house = await openMemoryHouse()
  const { memory } = house
  await memory.remember(factOf('my dentist is Dr. Adeyemi'))
  await memory.remember(factOf("my dentist's phone number is 030 1234"))
  await memory.remember(factOf('I am vegetarian'))
  house.now += 60_000
  const found = await memory.relevantFacts('What is the phone of my dentists?', 5)
  assert.deepEqual(
    found.map(({ number }) => number),
    [2, 1],
  )
  assert.deepEqual(await memory.relevantFacts('what is it of the', 5), [])
  const used = (await memory.facts()).map(({ usedAt }) => usedAt)
  assert.deepEqual(used, [house.now, house.now, undefined])
})

test('principals never see the facts, turns and results of each other', async () => {
  await using house = await openMemoryHouse()
  const bob = house.of(parsePrincipalId('principal:telegram:peer:1234'))
  await house.memory.remember(factOf('my dentist is Dr. Adeyemi'))
  await house.memory.addTurn({
    channel: 'terminal',
    conversation: 'terminal',
    said: 'hello',
    answer: factOf('hi').text,
  })
  await house.memory.addResult({ server: 'mail' as never, name: 'read' }, factOf('content').text)
  assert.deepEqual(
    [await bob.facts(), await bob.turns(20), await bob.results(), await bob.value('result1')],
    [[], [], [], undefined],
  )
  assert.deepEqual(await bob.relevantFacts('dentist', 5), [])
  assert.deepEqual(await bob.searchTurns('hello', 5), [])
  await bob.forgetFrom('everywhere', false)
  assert.equal((await house.memory.facts()).length, 1)
})
