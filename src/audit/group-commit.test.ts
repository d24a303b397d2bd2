import assert from 'node:assert/strict'
import { fdatasyncSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { readAnchor } from './anchor.ts'
import { createTestHome, event, type TestHome } from './test-audit.ts'

/** A disk whose syncs end only when the test resolves them. */
function slowDisk() {
  const started: PromiseWithResolvers<void>[] = []
  return {
    started,
    fdatasync: (): Promise<void> => {
      const sync = Promise.withResolvers<void>()
      started.push(sync)
      return sync.promise
    },
  }
}

const soon = () => delay(20)

function anchoredSeq(home: TestHome): number {
  const anchor = readAnchor(home.anchorPath)
  return anchor.kind === 'found' ? anchor.head.seq : Number.NaN
}

test('64 writers share a few syncs', async () => {
  await using home = await createTestHome()
  let syncs = 0
  await using audit = await home.open({
    fdatasync: async (fd) => {
      syncs += 1
      fdatasyncSync(fd)
    },
  })
  async function writer(): Promise<void> {
    for (let n = 0; n < 10; n += 1) await audit.appendDurable(event(`n${n}`))
  }
  await Promise.all(Array.from({ length: 64 }, writer))
  assert.ok(syncs <= 12, `${syncs} syncs for 640 appends`)
  assert.equal((await audit.verify()).records, 640)
})

test('AUDIT-1: a durable append waits for a sync that started after its own write', async () => {
  await using home = await createTestHome()
  const { started, fdatasync } = slowDisk()
  await using audit = await home.open({ fdatasync })
  const done: string[] = []
  const first = audit.appendDurable(event('first')).then(() => done.push('first'))
  while (started.length === 0) await soon()
  const second = audit.appendDurable(event('second')).then(() => done.push('second'))
  await soon()
  assert.equal(started.length, 1, 'one sync at a time')
  assert.equal(anchoredSeq(home), 0)
  started[0]?.resolve()
  await first
  assert.equal(anchoredSeq(home), 1, 'the anchor never runs ahead of the disk')
  while (started.length === 1) await soon()
  assert.deepEqual(done, ['first'])
  started[1]?.resolve()
  await second
})

const tool = { server: parseServerId('notion'), name: 'search' }
const call = { callId: 'c1', principal: OWNER, tool, args: {} }
const allow = { kind: 'allow', rule: 'r' } as const

test('DOOR-1: begin() does not return before the call is on disk', async () => {
  await using home = await createTestHome()
  const { started, fdatasync } = slowDisk()
  const audit = await home.open({ fdatasync })
  let begun = false
  const entry = audit.begin(call, allow, 'write').then((opened) => {
    begun = true
    return opened
  })
  while (started.length === 0) await soon()
  await soon()
  assert.equal(begun, false)
  started[0]?.resolve()
  await (await entry).end({ kind: 'refused', reason: 'no' })
  const closed = audit[Symbol.asyncDispose]()
  while (started.length === 1) await soon()
  started[1]?.resolve()
  await closed
})

test('DOOR-1: begin() of a read waits for the file, not for the disk', async () => {
  await using home = await createTestHome()
  let syncs = 0
  await using audit = await home.open({
    syncDelayMs: 60_000,
    fdatasync: async () => {
      syncs += 1
    },
  })
  for (const effect of ['local-read', 'remote-read'] as const) {
    const entry = await audit.begin(call, allow, effect)
    assert.match((await home.bytes()).toString(), new RegExp(`"effect":"${effect}"`))
    assert.equal(syncs, 0)
    await entry.end({ kind: 'refused', reason: 'no' })
  }
})

test('Reads that begin in the same breath are each in the file, in order, before any goes on', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  const counts: number[] = []
  const begin = async (callId: string): Promise<void> => {
    using entry = await audit.begin({ ...call, callId }, allow, 'local-read')
    counts.push((await home.bytes()).toString().split('call.begin').length - 1)
    await entry.end({ kind: 'refused', reason: 'no' })
  }
  const first = begin('c1')
  const second = begin('c2')
  audit.append(event('between'))
  await Promise.all([first, second, begin('c3')])
  assert.ok(counts.every((count) => count >= 2))
  const records = await audit.read({ limit: 10 })
  assert.deepEqual(
    records.slice(0, 4).map(({ subject, details }) => details?.['callId'] ?? subject),
    ['c1', 'c2', 'between', 'c3'],
  )
  assert.equal((await audit.verify()).ok, true)
})

test('Plain appends are in the file at once and synced together, later', async () => {
  await using home = await createTestHome()
  const synced = Promise.withResolvers<void>()
  let syncs = 0
  await using audit = await home.open({
    syncDelayMs: 1000,
    fdatasync: async () => {
      syncs += 1
      synced.resolve()
    },
  })
  for (let n = 0; n < 10; n += 1) audit.append(event(`n${n}`))
  assert.equal((await home.bytes()).toString().split('\n').length, 11)
  assert.equal(syncs, 0)
  await synced.promise
  assert.equal(syncs, 1)
})

test('After a sync has failed nothing more is taken, and everyone who waited is told', async () => {
  await using home = await createTestHome()
  const { started, fdatasync } = slowDisk()
  const audit = await home.open({ fdatasync })
  const failed = { code: 'audit.sync-failed', exit: 5 }
  const first = assert.rejects(audit.appendDurable(event('first')), failed)
  while (started.length === 0) await soon()
  const second = assert.rejects(audit.appendDurable(event('second')), failed)
  started[0]?.reject(new Error('EIO'))
  await first
  await second
  assert.throws(() => audit.append(event('third')), failed)
  await assert.rejects(audit.appendDurable(event('third')), failed)
  assert.equal(started.length, 1, 'a failed sync is not tried again')
  assert.equal((await audit.read({ limit: 9 })).length, 2, 'reading still works')
  assert.equal((await audit.verify()).ok, true)
  await audit[Symbol.asyncDispose]()
  assert.deepEqual(home.logged, [
    'error Cannot bring the audit log to disk; nothing more is written to it',
    'error The audit log was closed before all of it was on disk',
  ])
})
