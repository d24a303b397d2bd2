import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../kernel/ports.ts'
import { type NoticesDeps, openNotices } from './open-notices.ts'

type Row = Awaited<ReturnType<NoticesDeps['rows']['list']>>[number]

const never = new AbortController().signal
const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Rows in memory, with the one rule that the store has: adding twice counts. */
function createRows(): NoticesDeps['rows'] & { readonly all: Row[]; writes: number } {
  const rows = {
    all: [] as Row[],
    writes: 0,
    async add(
      key: Pick<Row, 'kind' | 'server' | 'item'>,
      news: { reason: string; at: string; times: number },
    ) {
      rows.writes += 1
      const { reason, at, times } = news
      const at0 = rows.all.findIndex(
        (one) => one.kind === key.kind && one.server === key.server && one.item === key.item,
      )
      const before = rows.all[at0]
      if (before) rows.all[at0] = { ...before, reason, last: at, count: before.count + times }
      else rows.all.push({ ...key, reason, since: at, last: at, count: times, isSeen: false })
    },
    list: async () => rows.all,
    async markSeen(kind: string, server: string) {
      rows.all = rows.all.map((one) =>
        one.kind === kind && one.server === server ? { ...one, isSeen: true } : one,
      )
    },
    async remove(kind: string, server: string, items?: readonly string[]) {
      rows.all = rows.all.filter(
        (one) => one.kind !== kind || one.server !== server || items?.includes(one.item) === false,
      )
    },
  }
  return rows
}

async function open(rows = createRows()) {
  const clock = { now: Date.parse('2030-01-01T00:00:00Z') }
  const redactor = { redact: (text: string) => text.replaceAll('s3cret', '***') }
  const notices = await openNotices({ rows, log: silent, redactor, now: () => clock.now })
  return { rows, clock, notices }
}

test('a notice says what is wrong and what to do, and names no secret', async () => {
  const { notices } = await open()
  notices.raise('sign-in', 'notion', undefined, 'the server said s3c\u200bret\u001b[2J')
  assert.deepEqual(
    (await notices.list()).map(({ id, what, hint, isSeen }) => ({ id, what, hint, isSeen })),
    [
      {
        id: 'notion:sign-in',
        what: 'The sign-in of notion is over: the server said ***[2J',
        hint: 'Sign in again with `cordon connect notion`',
        isSeen: false,
      },
    ],
  )
})

test('the same cause is counted and written once a minute, and what was seen stays seen', async () => {
  const { notices, rows, clock } = await open()
  for (let time = 0; time < 1000; time += 1) notices.raise('blocked', 'it', ['a.test'])
  await notices.list()
  assert.equal(rows.writes, 1)
  await notices.markSeen(['it:blocked'])
  clock.now += 60_000
  notices.raise('blocked', 'it', ['a.test'])
  const [notice] = await notices.list()
  assert.deepEqual([notice?.count, notice?.isSeen, rows.writes], [1001, true, 2])
})

test('hosts of one server are one notice, and a new one makes it new again', async () => {
  const { notices } = await open()
  notices.raise('blocked', 'it', ['a.test'])
  await notices.list()
  await notices.markSeen()
  notices.raise('blocked', 'it', ['b.test'])
  const [notice, ...others] = await notices.list()
  assert.deepEqual([notice?.items, notice?.isSeen, others], [['a.test', 'b.test'], false, []])
  assert.match(notice?.hint ?? '', /cordon notices allow it:blocked/)
})

test('a thousand hosts are twenty', async () => {
  const { notices, rows } = await open()
  const hosts = Array.from({ length: 1000 }, (_, nth) => `h${nth}.test`)
  notices.raise('blocked', 'it', hosts)
  assert.equal((await notices.list())[0]?.items.length, 20)
  const again = await open(rows)
  again.notices.raise('blocked', 'it', ['after-a-restart.test'])
  assert.equal((await again.notices.list())[0]?.items.length, 20)
})

test('a cause that is gone takes its notice along, in the order of what happened', async () => {
  const { notices } = await open()
  notices.raise('sign-in', 'notion', undefined, 'over')
  notices.raise('quarantine', 'it', ['a', 'b'])
  notices.resolve('sign-in', 'notion')
  notices.resolve('quarantine', 'it', ['a'])
  assert.deepEqual(
    (await notices.list()).map(({ id, items }) => [id, items]),
    [['it:quarantine', ['b']]],
  )
  notices.raise('sign-in', 'notion', undefined, 'over again')
  assert.match((await notices.list())[1]?.what ?? '', /over again/)
})

test('who waits learns of a change, and an unknown id is refused', async () => {
  const { notices } = await open()
  const { version } = notices
  const changed = notices.changed(version, never)
  notices.raise('given-up', 'it', undefined, 'exited with code 9')
  await changed
  assert.ok(notices.version > version)
  await assert.rejects(notices.markSeen(['none']), { code: 'notices.unknown' })
})
