/** What every engine must do for those who share it: notes that outlive a process, locks between processes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import { never } from '../../src/kernel/test-never.ts'
import { type EngineUnderTest, openPlace as open, startChild } from './engine-under-test.ts'

const alice = OWNER.id
const bob = parsePrincipalId('principal:telegram:peer:1234')

export function sharingSuite(engine: EngineUnderTest): void {
  test(`${engine.kind}: notes belong to a person and a kind, and the last content counts`, async () => {
    await using store = await open(await engine.fresh())
    const { notes } = store
    await notes.put(alice, 'flow', 'b', 'two')
    await notes.put(alice, 'flow', 'a', 'one')
    await notes.put(alice, 'flow', 'a', 'newer')
    await notes.put(alice, 'deletion', 'a', 'other kind')
    await notes.put(bob, 'flow', 'a', "another person's")
    assert.deepEqual(await notes.list(alice, 'flow'), [
      { id: 'a', content: 'newer' },
      { id: 'b', content: 'two' },
    ])
    await notes.remove(alice, 'flow', 'a')
    await notes.remove(alice, 'flow', 'never there')
    assert.deepEqual(await notes.list(alice, 'flow'), [{ id: 'b', content: 'two' }])
    assert.equal((await notes.list(bob, 'flow')).length, 1)
  })

  test(`${engine.kind}: of many processes that want a lock, one at a time has it`, async () => {
    const place = await engine.fresh()
    await using store = await open(place)
    // Each reads a number, waits, and writes the next one: without the lock, some are lost.
    const body = `
      await using store = await open()
      const signal = new AbortController().signal
      for (let round = 0; round < 5; round += 1) {
        await store.locks.exclusively('token', async () => {
          const [found] = await store.notes.list('principal:owner', 'count')
          await new Promise((resolve) => setTimeout(resolve, 5))
          await store.notes.put('principal:owner', 'count', 'n', String(Number(found?.content ?? 0) + 1))
        }, signal)
      }`
    await Promise.all(
      Array.from({ length: 4 }, async () => await once(startChild(place, body), 'exit')),
    )
    assert.deepEqual(await store.notes.list(alice, 'count'), [{ id: 'n', content: '20' }])
    const aborted = AbortSignal.timeout(50)
    await store.locks.exclusively(
      'token',
      async () => {
        await assert.rejects(store.locks.exclusively('token', async () => 'never', aborted))
        assert.equal(await store.locks.exclusively('other', async () => 'free', never), 'free')
      },
      never,
    )
  })

  test(`${engine.kind}: a lock whose holder died is free again after its time`, async () => {
    const place = await engine.fresh()
    await using store = await open(place)
    await engine.execute(
      place,
      `insert into lock (name, holder, until) values ('token', 'dead', '2020-01-01T00:00:00.000Z')`,
    )
    assert.equal(await store.locks.exclusively('token', async () => 'taken', never), 'taken')
  })
}
