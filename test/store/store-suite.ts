/** Tests for every engine, written once. `fresh` gives an empty database. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { OWNER, type PrincipalId, parsePrincipalId } from '../../src/kernel/principal.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import type { OwnerTables, Store } from '../../src/store/open-store.ts'
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
      const hers = store.forOwner(alice)
      await hers.projectTrust.trust('/work', 'h1')
      await hers.definitionHashes.put('/home/a.toml', 'h2')
      await hers.importJournal.add('import-1', '{"wrote":[]}')
      await store.sessions.add({ cookieHash: 'c', csrfHash: 'd', owner: alice, expiresAt: FUTURE })
    }
    await using store = await open(place)
    const hers = store.forOwner(alice)
    assert.equal(await hers.projectTrust.trustedHash('/work'), 'h1')
    assert.equal(await hers.definitionHashes.get('/home/a.toml'), 'h2')
    assert.deepEqual(await hers.importJournal.find(), {
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
    const { importJournal } = store.forOwner(alice)
    assert.equal(await importJournal.find(), undefined)
    for (const id of ['c', 'a', 'b']) await importJournal.add(id, `journal ${id}`)
    assert.equal((await importJournal.find())?.id, 'b')
    assert.deepEqual(await importJournal.find('c'), { id: 'c', journal: 'journal c' })
    await importJournal.markUndone('b')
    assert.equal((await importJournal.find())?.id, 'a')
    assert.equal(await importJournal.find('b'), undefined)
    await importJournal.markUndone('none')
    await assert.rejects(importJournal.add('a', 'again'))
    assert.equal((await importJournal.find('a'))?.journal, 'journal a')
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
    const { sessions } = store
    const hers = store.forOwner(alice)
    const his = store.forOwner(bob)
    await hers.projectTrust.trust('/work', 'hers')
    await hers.definitionHashes.put('/a.toml', 'hers')
    await hers.importJournal.add('i', 'hers')
    await sessions.add({ cookieHash: 'hers', csrfHash: 'x', owner: alice, expiresAt: FUTURE })

    assert.equal(await his.projectTrust.trustedHash('/work'), undefined)
    assert.equal(await his.definitionHashes.get('/a.toml'), undefined)
    assert.equal(await his.importJournal.find(), undefined)
    assert.equal(await his.importJournal.find('i'), undefined)

    await his.projectTrust.trust('/work', 'his')
    await his.definitionHashes.put('/a.toml', 'his')
    await his.importJournal.add('i', 'his')
    await sessions.add({ cookieHash: 'his', csrfHash: 'x', owner: bob, expiresAt: FUTURE })
    await his.importJournal.markUndone('i')
    await his.projectTrust.revoke('/work')
    await his.definitionHashes.forget('/a.toml')
    await sessions.remove('his')

    assert.equal(await hers.projectTrust.trustedHash('/work'), 'hers')
    assert.equal(await hers.definitionHashes.get('/a.toml'), 'hers')
    assert.equal((await hers.importJournal.find())?.journal, 'hers')
    assert.equal((await sessions.find('hers', NOW))?.owner, alice)
  })

  test(`STORE-1: ${engine.kind}: kept labels are replaced together, pruned by age, and one principal's own`, async () => {
    await using store = await open(await engine.fresh())
    const [hers, his] = [alice, bob].map((one) => store.forOwner(one).keptLabels)
    assert.ok(hers && his)
    const row = (id: string, content = id) => ({ kind: 'file', id, content }) as const
    await hers.put([row('a'), row('b'), { kind: 'path', id: 'a', content: 'path' }])
    await hers.put([row('b', 'again')])
    assert.deepEqual(await hers.list('file'), [row('a'), row('b', 'again')])
    assert.deepEqual(
      [await hers.get('path', 'a'), await hers.get('path', 'b')],
      ['path', undefined],
    )
    assert.deepEqual([await his.get('file', 'a'), await his.list('file')], [undefined, []])
    for (const id of ['c', 'd', 'e']) {
      await sleep(3) // each has a time of its own
      await hers.put([row(id)])
    }
    await his.prune('file', 0)
    await hers.prune('file', 2)
    assert.deepEqual(await hers.list('file'), [row('d'), row('e')])
    assert.equal(await hers.get('path', 'a'), 'path')
    assert.deepEqual([await his.remove('file', 'd'), await hers.remove('file', 'd')], [false, true])
    assert.equal(await hers.remove('file', 'd'), false)
  })

  test(`${engine.kind}: many questions at once are all answered`, async () => {
    await using store = await open(await engine.fresh())
    const { definitionHashes } = store.forOwner(alice)
    const paths = Array.from({ length: 60 }, (_, index) => `/${index}.toml`)
    await Promise.all(paths.map((path) => definitionHashes.put(path, path)))
    const hashes = await Promise.all(paths.map((path) => definitionHashes.get(path)))
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
        `const { definitionHashes } = (await open()).forOwner('principal:owner')
         for (let n = 0; ; n++) {
           await definitionHashes.put('/${round}/' + n, 'x')
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
        assert.equal(await store.forOwner(alice).definitionHashes.get(`/${round}/${n}`), 'x')
      }
    }
  })
}

async function openTogether(place: Place): Promise<void> {
  const children = Array.from({ length: rounds(6, 3) }, (_, index) =>
    startChild(
      place,
      `say('ready')
       await new Promise((go) => process.stdin.once('data', go))
       await using store = await open()
       await store.forOwner('principal:owner').definitionHashes.put('/${index}', 'x')
       say('done')`,
    ),
  )
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const endings = children.map((child) => child.stdout.toArray())
  for (const child of children) child.stdin.end('go')
  for (const words of await Promise.all(endings)) assert.equal(words.join('').trim(), 'done')
  await using store = await open(place)
  for (const index of children.keys()) {
    assert.equal(await store.forOwner(alice).definitionHashes.get(`/${index}`), 'x')
  }
}

const NOW = Date.now()
const FUTURE = NOW + 3_600_000

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

/** Runs the steps on the store and on a map, and compares after each. Clears the store of earlier runs first. */
async function agree(store: Store, steps: readonly Step[]): Promise<void> {
  const model = new Map<string, string>()
  const act = {
    trust: ({ projectTrust }: OwnerTables) => ({
      put: (key: string, value: string) => projectTrust.trust(key, value),
      drop: (key: string) => projectTrust.revoke(key),
      get: (key: string) => projectTrust.trustedHash(key),
    }),
    hash: ({ definitionHashes }: OwnerTables) => ({
      put: (key: string, value: string) => definitionHashes.put(key, value),
      drop: (key: string) => definitionHashes.forget(key),
      get: (key: string) => definitionHashes.get(key),
    }),
    consent: ({ consents }: OwnerTables) => ({
      put: (key: string, value: string) => consents.give(key, value),
      drop: (key: string) => consents.withdraw(key),
      get: (key: string) => consents.given(key),
    }),
  }
  const on = (port: Step[0], owner: PrincipalId) => act[port](store.forOwner(owner))
  for (const [port, , owner, key] of steps) await on(port, owner).drop(key)
  for (const [port, action, owner, key, value] of steps) {
    const name = JSON.stringify([port, owner, key])
    if (action === 'put') model.set(name, value)
    else model.delete(name)
    await on(port, owner)[action](key, value)
  }
  for (const [port, , owner, key] of steps) {
    assert.equal(await on(port, owner).get(key), model.get(JSON.stringify([port, owner, key])))
  }
}
