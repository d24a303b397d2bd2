/** Tests for every engine, about processes that share it: notes and notices that outlive a process, locks between processes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import { never } from '../../src/kernel/test-never.ts'
import { type EngineUnderTest, openPlace as open, startChild } from './engine-under-test.ts'

const alice = OWNER.id
const bob = parsePrincipalId('principal:telegram:peer:1234')

export function sharingSuite(engine: EngineUnderTest): void {
  test(`STORE-1: ${engine.kind}: a notice is counted, marked and removed, and is one principal's own`, async () => {
    await using store = await open(await engine.fresh())
    const { notices } = store.forOwner(alice)
    const host = (item: string) => ({ kind: 'blocked', server: 'it', item })
    const at = '2030-01-01T00:00:00.000Z'
    const again = '2030-01-02T00:00:00.000Z'
    await Promise.all(
      [1, 2, 3].map(() => notices.add(host('a.test'), { reason: '', at, times: 2 })),
    )
    await notices.add(host('b.test'), { reason: '', at, times: 1 })
    await store.forOwner(bob).notices.add(host('a.test'), { reason: 'his', at, times: 1 })
    await notices.markSeen('blocked', 'it', at)
    await notices.add(host('a.test'), { reason: 'new', at: again, times: 1 })
    assert.deepEqual(await notices.list(), [
      { ...host('a.test'), reason: 'new', since: at, last: again, count: 7, isSeen: true },
      { ...host('b.test'), reason: '', since: at, last: at, count: 1, isSeen: true },
    ])
    await notices.remove('blocked', 'it', ['b.test', 'c.test'])
    assert.deepEqual(
      (await notices.list()).map(({ item }) => item),
      ['a.test'],
    )
    await notices.remove('blocked', 'it')
    assert.deepEqual(await notices.list(), [])
    const [his] = await store.forOwner(bob).notices.list()
    assert.deepEqual([his?.reason, his?.isSeen], ['his', false])
  })

  test(`${engine.kind}: of several that add the same note, one succeeds and its content stays`, async () => {
    await using store = await open(await engine.fresh())
    const { notes } = store.forOwner(alice)
    const added = await Promise.all(['1', '2', '3'].map((one) => notes.add('k', 'id', one)))
    assert.equal(added.filter(Boolean).length, 1)
    assert.equal(await notes.add('k', 'id', '4'), false)
    assert.equal(await store.forOwner(bob).notes.add('k', 'id', 'his'), true)
    const [kept] = await notes.list('k')
    assert.equal(kept?.content, String(added.indexOf(true) + 1))
  })

  test(`${engine.kind}: of several that swap the same content, one succeeds; another content is left alone`, async () => {
    await using store = await open(await engine.fresh())
    const { notes } = store.forOwner(alice)
    await notes.put('k', 'id', 'old')
    await store.forOwner(bob).notes.put('k', 'id', 'old')
    const swapped = await Promise.all(
      ['1', '2', '3'].map((one) => notes.swap('k', 'id', 'old', one)),
    )
    assert.equal(swapped.filter(Boolean).length, 1)
    const [kept] = await notes.list('k')
    assert.equal(kept?.content, String(swapped.indexOf(true) + 1))
    assert.equal(await notes.swap('k', 'id', 'old', '4'), false)
    assert.equal(await notes.swap('k', 'none', 'old', '4'), false)
    assert.deepEqual(await store.forOwner(bob).notes.list('k'), [{ id: 'id', content: 'old' }])
  })

  test(`${engine.kind}: notes belong to a person and a kind, and the last content counts`, async () => {
    await using store = await open(await engine.fresh())
    const hers = store.forOwner(alice).notes
    const his = store.forOwner(bob).notes
    await hers.put('flow', 'b', 'two')
    await hers.put('flow', 'a', 'one')
    await hers.put('flow', 'a', 'newer')
    await hers.put('deletion', 'a', 'other kind')
    await his.put('flow', 'a', "another person's")
    assert.deepEqual(await hers.list('flow'), [
      { id: 'a', content: 'newer' },
      { id: 'b', content: 'two' },
    ])
    await hers.remove('flow', 'a')
    await hers.remove('flow', 'never there')
    assert.deepEqual(await hers.list('flow'), [{ id: 'b', content: 'two' }])
    assert.equal((await his.list('flow')).length, 1)
  })

  test(`${engine.kind}: of many processes that want a lock, one at a time has it`, async () => {
    const place = await engine.fresh()
    await using store = await open(place)
    // Each process reads a number, waits, and writes the next one: without the lock, some updates are lost.
    const body = `
      await using store = await open()
      const { notes } = store.forOwner('principal:owner')
      const signal = new AbortController().signal
      for (let round = 0; round < 5; round += 1) {
        await store.locks.exclusively('token', async () => {
          const [found] = await notes.list('count')
          await new Promise((resolve) => setTimeout(resolve, 5))
          await notes.put('count', 'n', String(Number(found?.content ?? 0) + 1))
        }, signal)
      }`
    await Promise.all(
      Array.from({ length: 4 }, async () => await once(startChild(place, body), 'exit')),
    )
    assert.deepEqual(await store.forOwner(alice).notes.list('count'), [{ id: 'n', content: '20' }])
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
