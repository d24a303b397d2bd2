/** The rows of memory, for every engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import { type EngineUnderTest, openPlace } from './engine-under-test.ts'

const alice = OWNER.id
const bob = parsePrincipalId('principal:telegram:peer:1234')
const AT = '2026-11-16T10:00:00.000Z'

const fact = (key: string, text: string) => ({ key, text, labels: '{}', source: '{}', keptAt: AT })
const turn = (said: string, conversation = 'terminal') => {
  return { channel: 'terminal', conversation, said, answered: 'ok', label: '{}', at: AT }
}
const result = (content: string, conversation = 'terminal') => ({
  conversation,
  server: 'notion',
  tool: 'search',
  type: 'list',
  count: 2,
  content,
  at: AT,
})

export function memorySuite(engine: EngineUnderTest): void {
  test(`${engine.kind}: a fact with the same key replaces the other one, and keeps its number`, async () => {
    const place = await engine.fresh()
    {
      await using store = await openPlace(place)
      const { memory } = store.forOwner(alice)
      assert.equal(await memory.putFact(fact('a', 'first')), 1)
      assert.equal(await memory.putFact(fact('b', 'other')), 2)
      await memory.useFacts([1, 2], AT)
      assert.equal(await memory.putFact(fact('a', 'second')), 1)
      assert.equal(await memory.editFact(2, fact('c', 'changed')), true)
      assert.equal(await memory.editFact(9, fact('d', 'none')), false)
      await assert.rejects(memory.editFact(2, fact('a', 'taken')))
    }
    await using store = await openPlace(place)
    const { memory } = store.forOwner(alice)
    const rows = await memory.facts()
    assert.deepEqual(
      rows.map(({ number, key, text, usedAt }) => [number, key, text, usedAt]),
      [
        [1, 'a', 'second', null],
        [2, 'c', 'changed', AT],
      ],
    )
    await memory.removeFacts([1])
    assert.ok(!(await engine.dump(place)).includes('second'))
  })

  test(`${engine.kind}: turns come back in order, and the oldest are pruned`, async () => {
    await using store = await openPlace(await engine.fresh())
    const { memory } = store.forOwner(alice)
    for (const said of ['one', 'two', 'three', 'four']) await memory.addTurn(turn(said))
    assert.deepEqual(
      (await memory.turns(3)).map(({ number, said }) => [number, said]),
      [
        [2, 'two'],
        [3, 'three'],
        [4, 'four'],
      ],
    )
    await memory.pruneTurns(2)
    await memory.removeTurns([4])
    assert.deepEqual(
      (await memory.turns(10)).map(({ said }) => said),
      ['three'],
    )
  })

  test(`${engine.kind}: the name of a forgotten result is not given to another one`, async () => {
    const place = await engine.fresh()
    await using store = await openPlace(place)
    const { memory } = store.forOwner(alice)
    assert.equal(await memory.addResult(result('one')), 1)
    assert.equal(await memory.addResult(result('forgotten')), 2)
    await memory.forgetResults([2])
    assert.ok(!(await engine.dump(place)).includes('forgotten'))
    assert.equal(await memory.addResult(result('three')), 3)
    await memory.pruneResults(1)
    assert.deepEqual(
      (await memory.results()).map(({ number, content }) => [number, content]),
      [[3, 'three']],
    )
  })

  test(`${engine.kind}: turns and results of one conversation are read and pruned apart`, async () => {
    await using store = await openPlace(await engine.fresh())
    const { memory } = store.forOwner(alice)
    for (const where of ['a', 'b', 'a', 'a']) {
      await memory.addTurn(turn(`in ${where}`, where))
      await memory.addResult(result(`of ${where}`, where))
    }
    assert.deepEqual(
      (await memory.turns(2, 'a')).map(({ number }) => number),
      [3, 4],
    )
    await memory.pruneConversation('a', 2)
    const numbers = async (conversation?: string) =>
      (await memory.resultShapes(9, conversation)).map(({ number }) => number)
    assert.deepEqual(
      [await numbers('a'), await numbers('b'), await numbers()],
      [[4, 3], [2], [4, 3, 2]],
    )
    assert.equal((await memory.result(2))?.content, 'of b')
    assert.equal(await memory.result(1), undefined)
  })

  // Regression 1
  test(`${engine.kind}: no principal sees, changes or removes the memory of another`, async () => {
    await using store = await openPlace(await engine.fresh())
    const [hers, his] = [store.forOwner(alice).memory, store.forOwner(bob).memory]
    assert.equal(await hers.putFact(fact('a', 'hers')), 1)
    assert.equal(await his.putFact(fact('a', 'his')), 1)
    await hers.addTurn(turn('hers'))
    await hers.addResult(result('hers'))
    await his.removeFacts([1])
    await his.pruneTurns(100)
    await his.removeTurns([1])
    await his.forgetResults([1])
    await his.pruneResults(100)
    await his.pruneConversation('terminal', 0)
    assert.deepEqual([await his.facts(), await his.turns(9), await his.results()], [[], [], []])
    assert.equal((await hers.facts())[0]?.text, 'hers')
    assert.equal((await hers.turns(9))[0]?.said, 'hers')
    assert.equal((await hers.results())[0]?.content, 'hers')
  })
}
