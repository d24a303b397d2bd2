import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OWNER } from '../kernel/principal.ts'
import type { OwnedAudit } from './open-audit.ts'
import { createTestHome, event, type TestHome } from './test-audit.ts'

const COUNT = 3000
const START = Date.UTC(2026, 0, 1)
let home: TestHome
let audit: OwnedAudit

before(async () => {
  home = await createTestHome()
  let tick = START
  audit = await home.open({ now: () => (tick += 1000) })
  for (let n = 1; n <= COUNT; n += 1) {
    audit.append(event(`thing-${n}`, n % 100 === 0 ? 'vault.set' : 'servers.start'))
  }
})
after(async () => {
  await audit[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

const seqs = (records: readonly { seq: number }[]) => records.map(({ seq }) => seq)

test('read() returns the last records, oldest first', async () => {
  assert.deepEqual(seqs(await audit.read({ limit: 3 })), [COUNT - 2, COUNT - 1, COUNT])
  assert.equal((await audit.read({ limit: 10_000 })).length, COUNT)
})

test('read() pages through the whole log with `after`, wherever a page starts', async () => {
  const seen: number[] = []
  for (let last = 0; last < COUNT; last = seen.at(-1) ?? COUNT) {
    seen.push(...seqs(await audit.read({ after: last, limit: 170 })))
  }
  assert.deepEqual(
    seen,
    Array.from({ length: COUNT }, (_, n) => n + 1),
  )
  assert.deepEqual(await audit.read({ after: COUNT, limit: 5 }), [])
})

test('search() finds kinds by prefix and returns the newest matches in time order', async () => {
  assert.deepEqual(seqs(await audit.search({ kind: 'vault.*', limit: 2 })), [2900, 3000])
  assert.equal((await audit.search({ kind: 'vault.set', limit: 1000 })).length, 30)
  assert.deepEqual(await audit.search({ kind: 'vault', limit: 10 }), [])
})

test('search() finds text in any value, whatever its case', async () => {
  assert.deepEqual(seqs(await audit.search({ text: 'About THING-7', limit: 2 })), [798, 799])
  assert.deepEqual(seqs(await audit.search({ text: 'thing-1234', limit: 5 })), [1234])
  const [record] = await audit.read({ limit: 1 })
  assert.deepEqual(seqs(await audit.search({ text: record?.hash ?? '', limit: 5 })), [COUNT])
  assert.deepEqual(await audit.search({ text: 'note', limit: 5 }), [])
})

test('search() keeps to a subject and to a span of time, in any time zone', async () => {
  assert.deepEqual(seqs(await audit.search({ subject: 'thing-5', limit: 5 })), [5])
  const since = '2026-01-01T01:00:10+01:00'
  const until = '2026-01-01T00:00:12Z'
  assert.deepEqual(seqs(await audit.search({ since, until, limit: 5 })), [10, 11, 12])
})

test('A line that cannot be read does not keep the rest from being read', async () => {
  await using damaged = await createTestHome()
  {
    await using fresh = await damaged.open()
    for (const subject of ['a', 'b', 'c']) fresh.append(event(subject))
  }
  const lines = (await damaged.bytes()).toString().split('\n')
  await damaged.write(
    [lines[0], 'no record', `{"seq":"2","kind":"x"}`, 'null', lines[2], ''].join('\n'),
  )
  await using reopened = await damaged.open()
  assert.deepEqual(seqs(await reopened.read({ limit: 9 })), [1, 3])
  assert.deepEqual(seqs(await reopened.read({ after: 1, limit: 9 })), [3])
  assert.deepEqual(seqs(await reopened.search({ text: OWNER.id, limit: 9 })), [1, 3])
})

test('search() pages backwards with `before`', async () => {
  assert.deepEqual(seqs(await audit.search({ limit: 2, before: 100 })), [98, 99])
  assert.deepEqual(
    seqs(await audit.search({ kind: 'vault.*', limit: 2, before: 2900 })),
    [2700, 2800],
  )
  assert.deepEqual(await audit.search({ limit: 2, before: 1 }), [])
})
