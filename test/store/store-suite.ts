/** What every engine must do, written once. `fresh` gives a place where nothing was stored yet. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { OWNER, type PrincipalId, parsePrincipalId } from '../../src/kernel/principal.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import type { Store } from '../../src/store/open-store.ts'
import {
  type EngineUnderTest,
  openPlace as open,
  type Place,
  startChild,
} from './engine-under-test.ts'

const alice = OWNER.id
const bob = parsePrincipalId('principal:telegram:peer:1234')

export function storeSuite(engine: EngineUnderTest): void {
  test(`${engine.kind}: what was stored is there after the store was closed and opened again`, async () => {
    const place = await engine.fresh()
    {
      await using store = await open(place)
      assert.equal(store.kind, engine.kind)
      await store.projectTrust.trust(alice, '/work', 'h1')
      await store.definitionHashes.put(alice, '/home/a.toml', 'h2')
      await store.importJournal.add(alice, 'import-1', '{"wrote":[]}')
      await store.sessions.add({ cookieHash: 'c', csrfHash: 'd', owner: alice, expiresAt: FUTURE })
    }
    await using store = await open(place)
    assert.equal(await store.projectTrust.trustedHash(alice, '/work'), 'h1')
    assert.equal(await store.definitionHashes.get(alice, '/home/a.toml'), 'h2')
    assert.deepEqual(await store.importJournal.find(alice), {
      id: 'import-1',
      journal: '{"wrote":[]}',
    })
    assert.equal((await store.sessions.find('c', NOW))?.csrfHash, 'd')
  })

  test(`${engine.kind}: hashes, trust and consent behave like a map per principal, for any text`, async () => {
    await using store = await open(await engine.fresh())
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 12 }), (steps) => agree(store, steps)),
      {
        numRuns: 15,
      },
    )
  })

  test(`${engine.kind}: the newest import that was not undone is found, and none that was`, async () => {
    await using store = await open(await engine.fresh())
    const { importJournal } = store
    assert.equal(await importJournal.find(alice), undefined)
    for (const id of ['c', 'a', 'b']) await importJournal.add(alice, id, `journal ${id}`)
    assert.equal((await importJournal.find(alice))?.id, 'b')
    assert.deepEqual(await importJournal.find(alice, 'c'), { id: 'c', journal: 'journal c' })
    await importJournal.markUndone(alice, 'b')
    assert.equal((await importJournal.find(alice))?.id, 'a')
    assert.equal(await importJournal.find(alice, 'b'), undefined)
    await importJournal.markUndone(alice, 'none')
    await assert.rejects(importJournal.add(alice, 'a', 'again'))
    assert.equal((await importJournal.find(alice, 'a'))?.journal, 'journal a')
  })

  test(`${engine.kind}: a session is found until it expires, to the millisecond, or is removed`, async () => {
    const place = await engine.fresh()
    const session = { cookieHash: 'c', csrfHash: 'd', owner: bob, expiresAt: FUTURE }
    {
      await using store = await open(place)
      await store.sessions.add(session)
      await store.sessions.add({ ...session, cookieHash: 'long-expired', expiresAt: NOW - 1 })
      assert.deepEqual(await store.sessions.find('c', NOW), session)
      assert.deepEqual(await store.sessions.find('c', FUTURE - 1), session)
      assert.equal(await store.sessions.find('c', FUTURE), undefined)
      assert.equal(await store.sessions.find('none', NOW), undefined)
      await assert.rejects(store.sessions.add({ ...session, owner: alice }))
      assert.equal((await store.sessions.find('c', NOW))?.owner, bob)
    }
    await using store = await open(place)
    assert.ok(
      !(await engine.dump(place)).includes('long-expired'),
      'an expired session is cleared away',
    )
    await store.sessions.remove('c')
    assert.equal(await store.sessions.find('c', NOW), undefined)
    await store.sessions.remove('c')
  })

  test(`STORE-1: ${engine.kind}: what one principal stores, another cannot see, change or remove`, async () => {
    await using store = await open(await engine.fresh())
    const { projectTrust, definitionHashes, importJournal, sessions } = store
    await projectTrust.trust(alice, '/work', 'hers')
    await definitionHashes.put(alice, '/a.toml', 'hers')
    await importJournal.add(alice, 'i', 'hers')
    await sessions.add({ cookieHash: 'hers', csrfHash: 'x', owner: alice, expiresAt: FUTURE })

    assert.equal(await projectTrust.trustedHash(bob, '/work'), undefined)
    assert.equal(await definitionHashes.get(bob, '/a.toml'), undefined)
    assert.equal(await importJournal.find(bob), undefined)
    assert.equal(await importJournal.find(bob, 'i'), undefined)

    await projectTrust.trust(bob, '/work', 'his')
    await definitionHashes.put(bob, '/a.toml', 'his')
    await importJournal.add(bob, 'i', 'his')
    await sessions.add({ cookieHash: 'his', csrfHash: 'x', owner: bob, expiresAt: FUTURE })
    await importJournal.markUndone(bob, 'i')
    await projectTrust.revoke(bob, '/work')
    await definitionHashes.forget(bob, '/a.toml')
    await sessions.remove('his')

    assert.equal(await projectTrust.trustedHash(alice, '/work'), 'hers')
    assert.equal(await definitionHashes.get(alice, '/a.toml'), 'hers')
    assert.equal((await importJournal.find(alice))?.journal, 'hers')
    assert.equal((await sessions.find('hers', NOW))?.owner, alice)
  })

  test(`${engine.kind}: many questions at once are all answered`, async () => {
    await using store = await open(await engine.fresh())
    const paths = Array.from({ length: 60 }, (_, index) => `/${index}.toml`)
    await Promise.all(paths.map((path) => store.definitionHashes.put(alice, path, path)))
    const hashes = await Promise.all(paths.map((path) => store.definitionHashes.get(alice, path)))
    assert.deepEqual(hashes, paths)
  })

  test(`${engine.kind}: processes that open a new database at the same moment all succeed`, async () => {
    await openTogether(await engine.fresh())
  })

  test(`${engine.kind}: processes that bring an old database up to date at the same moment all succeed`, async () => {
    const place = await engine.fresh()
    await (await open(place))[Symbol.asyncDispose]()
    for (const table of ['consent', 'note', 'lock']) {
      await engine.execute(place, `drop table ${table}`)
    }
    await engine.execute(place, "delete from cordon_migration where name like '0002%'")
    await openTogether(place)
  })

  test(`${engine.kind}: a database of a newer Cordon is refused and left as it is`, async () => {
    const place = await engine.fresh()
    await (await open(place))[Symbol.asyncDispose]()
    const later = `insert into cordon_migration values ('9999-later', '2030-01-01T00:00:00.000Z')`
    await engine.execute(place, later)
    const old = `insert into session values ('expired', 'principal:owner', 'x', '2001-01-01T00:00:00.000Z')`
    await engine.execute(place, old)
    const before = await engine.dump(place)
    await assert.rejects(open(place), { name: 'CordonError', code: 'store.newer', exit: 5 })
    assert.equal(await engine.dump(place), before)
  })

  test(`${engine.kind}: what was stored before the process was killed is there`, async () => {
    const place = await engine.fresh()
    await (await open(place))[Symbol.asyncDispose]()
    for (let round = 0; round < rounds(20, 2); round++) {
      const child = startChild(
        place,
        `const store = await open()
         for (let n = 0; ; n++) {
           await store.definitionHashes.put('principal:owner', '/${round}/' + n, 'x')
           say(n)
         }`,
      )
      const ended = child.stdout.toArray()
      await once(child.stdout, 'readable')
      await sleep(20 + Math.random() * 60)
      child.kill('SIGKILL')
      const stored = (await ended).join('').trim().split('\n')
      await using store = await open(place)
      for (const n of stored) {
        assert.equal(await store.definitionHashes.get(alice, `/${round}/${n}`), 'x')
      }
    }
  })
}

async function openTogether(place: Place): Promise<void> {
  const children = Array.from({ length: 6 }, (_, index) =>
    startChild(
      place,
      `say('ready')
       await new Promise((go) => process.stdin.once('data', go))
       await using store = await open()
       await store.definitionHashes.put('principal:owner', '/${index}', 'x')
       say('done')`,
    ),
  )
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const endings = children.map((child) => child.stdout.toArray())
  for (const child of children) child.stdin.end('go')
  for (const words of await Promise.all(endings)) assert.equal(words.join('').trim(), 'done')
  await using store = await open(place)
  for (const index of children.keys()) {
    assert.equal(await store.definitionHashes.get(alice, `/${index}`), 'x')
  }
}

const NOW = Date.now()
const FUTURE = NOW + 3_600_000

type Row = [owner: PrincipalId, key: string, value: string]
type Step = readonly [
  port: 'trust' | 'hash' | 'consent',
  action: 'put' | 'drop',
  owner: PrincipalId,
  key: string,
  value: string,
]

// PostgreSQL has no U+0000 in text, and no path has one either.
const anyText = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((text) => text.replaceAll('\0', ''))
const operation: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('trust', 'hash', 'consent'),
  fc.constantFrom('put', 'put', 'drop'),
  fc.constantFrom(alice, bob),
  fc.oneof(fc.constantFrom('/a', '/A', '/a ', ''), anyText),
  anyText,
)

/** Runs the steps on the store and on a map, and compares after each. The store may hold earlier runs: it starts by clearing. */
async function agree(store: Store, steps: readonly Step[]): Promise<void> {
  const model = new Map<string, string>()
  const { projectTrust, definitionHashes, consents } = store
  const act = {
    trust: {
      put: (...row: Row) => projectTrust.trust(...row),
      drop: (owner: PrincipalId, key: string) => projectTrust.revoke(owner, key),
      get: (owner: PrincipalId, key: string) => projectTrust.trustedHash(owner, key),
    },
    hash: {
      put: (...row: Row) => definitionHashes.put(...row),
      drop: (owner: PrincipalId, key: string) => definitionHashes.forget(owner, key),
      get: (owner: PrincipalId, key: string) => definitionHashes.get(owner, key),
    },
    consent: {
      put: (...row: Row) => consents.give(...row),
      drop: (owner: PrincipalId, key: string) => consents.withdraw(owner, key),
      get: (owner: PrincipalId, key: string) => consents.given(owner, key),
    },
  }
  for (const [port, , owner, key] of steps) await act[port].drop(owner, key)
  for (const [port, action, owner, key, value] of steps) {
    const name = JSON.stringify([port, owner, key])
    if (action === 'put') model.set(name, value)
    else model.delete(name)
    await act[port][action](owner, key, value)
  }
  for (const [port, , owner, key] of steps) {
    assert.equal(await act[port].get(owner, key), model.get(JSON.stringify([port, owner, key])))
  }
}
