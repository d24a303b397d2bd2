import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AuditRecord } from '../kernel/audit-record.ts'
import { OWNER } from '../kernel/principal.ts'
import { readAnchor } from './anchor.ts'
import { createTestHome, event, fill, type TestHome } from './test-audit.ts'

const REFUSED = { code: 'audit.damaged', exit: 5, hint: /cordon audit verify/ }

async function assertDamaged(home: TestHome, problem: RegExp, readable: number): Promise<void> {
  const before = await home.bytes().catch(() => undefined)
  await using audit = await home.open()
  assert.match(audit.damage ?? '', problem)
  assert.throws(() => audit.append(event('more')), REFUSED)
  await assert.rejects(audit.appendDurable(event('more')), REFUSED)
  assert.equal((await audit.read({ limit: 100 })).length, readable)
  assert.equal((await audit.search({ text: 'thing', limit: 100 })).length, readable)
  assert.equal((await audit.verify()).ok, false)
  assert.deepEqual(await home.bytes().catch(() => undefined), before, 'damage is left as it is')
  assert.deepEqual(home.logged, ['error The audit log is damaged and takes no records'])
}

test('A line torn by a crash is cut off, kept, and recorded', async () => {
  await using home = await createTestHome()
  await fill(home, 3)
  await appendFile(home.logPath, '{"at":"2026-01-01T00:')

  await using audit = await home.open()
  assert.equal(audit.damage, undefined)
  const [last] = await audit.read({ limit: 1 })
  assert.equal(last?.kind, 'audit.recovered')
  assert.equal(last?.seq, 4)
  assert.equal(last?.details?.['bytes'], 21)
  const part = (await readdir(home.folder)).filter((name) => /^torn-\d+T\d+Z\.part$/.test(name))
  assert.deepEqual(part, [last?.details?.['file']])
  assert.equal(await readFile(join(home.folder, part[0] ?? ''), 'utf8'), '{"at":"2026-01-01T00:')
  assert.equal((await audit.verify()).ok, true)
  assert.deepEqual(home.logged, ['warn A torn line at the end of the audit log was cut off'])
})

test('Records that were written but not yet anchored are accepted when the chain holds', async () => {
  await using home = await createTestHome()
  await fill(home, 3)
  const anchor = await readFile(home.anchorPath)
  {
    await using audit = await home.open()
    for (const subject of ['x', 'y', 'z']) audit.append(event(subject))
  }
  await writeFile(home.anchorPath, anchor)
  await using audit = await home.open()
  const anchored = readAnchor(home.anchorPath)
  assert.equal(anchored.kind === 'found' && anchored.head.seq, 6, 'they are anchored now')
  assert.deepEqual([audit.damage, (await audit.verify()).records], [undefined, 6])
})

test('AUDIT-4: a log that is shorter than its anchor says opens for reading only', async () => {
  await using home = await createTestHome()
  await fill(home, 5)
  const bytes = await home.bytes()
  await home.write(bytes.subarray(0, bytes.lastIndexOf(10, -2) + 1))
  await assertDamaged(home, /cut short/, 4)
})

test('A missing log opens for reading only while its anchor exists', async () => {
  await using home = await createTestHome()
  await fill(home, 5)
  await rm(home.logPath)
  await assertDamaged(home, /cut short, or gone/, 0)
})

test('A missing or unreadable anchor of a log with records is damage', async () => {
  await using home = await createTestHome()
  await fill(home, 5)
  await rm(home.anchorPath)
  await assertDamaged(home, /anchor of the log is absent/, 5)
  home.logged.length = 0
  await writeFile(home.anchorPath, 'what is this')
  await assertDamaged(home, /anchor of the log is unreadable/, 5)
})

test('A changed last record, or foreign lines after it, are damage', async () => {
  await using home = await createTestHome()
  await fill(home, 5)
  const sound = await home.bytes()
  await home.write(sound.toString().replace('about thing-5', 'about thing-6'))
  await assertDamaged(home, /^Record 5 was altered/, 5)
  home.logged.length = 0
  await home.write(Buffer.concat([sound, Buffer.from('hello\n')]))
  await assertDamaged(home, /^Record 6 cannot be read/, 5)
  home.logged.length = 0
  await home.write(Buffer.concat([sound, Buffer.alloc(100_000, 'x')]))
  await assertDamaged(home, /ends in something that is not a record/, 5)
})

test('AUDIT-4: reseal() keeps the damaged log and starts a chain that cites it', async () => {
  await using home = await createTestHome()
  await fill(home, 5)
  const bytes = await home.bytes()
  const left = bytes.subarray(0, bytes.length - 40)
  await home.write(left)

  await using audit = await home.open()
  const { kept } = await audit.reseal(OWNER.id)
  assert.match(kept, /^audit-\d+T\d+Z\.damaged\.jsonl$/)
  assert.deepEqual(await readFile(join(home.folder, kept)), left)
  assert.equal(audit.damage, undefined)

  const next = await audit.appendDurable(event('next'))
  const [first] = await audit.read({ after: 0, limit: 1 })
  assert.deepEqual([first?.kind, first?.subject, next.seq], ['audit.resealed', kept, 2])
  const { sha256, problem, anchored } = (first as AuditRecord).details as Record<string, string>
  assert.equal(sha256, createHash('sha256').update(left).digest('hex'))
  assert.match(problem ?? '', /^Record 5 /)
  const lastLine = bytes.toString().trimEnd().split('\n').at(-1) ?? ''
  const { hash } = JSON.parse(lastLine) as AuditRecord
  assert.deepEqual(anchored, { seq: 5, hash, bytes: bytes.length })
  assert.equal((await audit.verify()).ok, true)
})

test('reseal() also mends a log whose damage lies before its end, and one that is gone', async () => {
  await using home = await createTestHome()
  await fill(home, 5)
  await home.write((await home.bytes()).toString().replace('about thing-2', 'about thing-9'))
  let tick = Date.now()
  await using audit = await home.open({ now: () => (tick += 1) })
  assert.equal(audit.damage, undefined)
  await Promise.all([audit.reseal(OWNER.id), audit.reseal(OWNER.id)])
  assert.equal((await audit.verify()).records, 1)
  await rm(home.logPath)
  await audit.reseal(OWNER.id)
  assert.equal((await audit.verify()).ok, true)
  const kept = (await readdir(home.folder)).filter((name) => name.endsWith('.damaged.jsonl'))
  assert.equal(kept.length, 2)
})

test('reseal() refuses to set a sound log aside', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  audit.append(event('a'))
  await assert.rejects(audit.reseal(OWNER.id), { code: 'audit.sound', exit: 2 })
  assert.equal(audit.append(event('b')).seq, 2)
})

test('A torn slot of the anchor is passed over; the other one counts', async () => {
  await using home = await createTestHome()
  {
    await using audit = await home.open()
    for (const subject of ['a', 'b', 'c']) await audit.appendDurable(event(subject))
  }
  const anchor = await readFile(home.anchorPath, 'latin1')
  const newest = anchor.indexOf('0000000000000003 ')
  assert.deepEqual([0, 512].includes(newest), true)
  for (const spoilt of [
    `${anchor.slice(0, newest + 10)}${'\0'.repeat(300)}${anchor.slice(newest + 310)}`,
    anchor.replace('0000000000000003 ', '0000000000000009 '),
  ]) {
    await writeFile(home.anchorPath, spoilt, 'latin1')
    const reading = readAnchor(home.anchorPath)
    assert.equal(reading.kind === 'found' && reading.head.seq, 2)
  }
  {
    await using audit = await home.open()
    assert.equal(audit.damage, undefined)
    assert.equal((await audit.appendDurable(event('d'))).seq, 4)
  }
  // The damaged slot was the next to be written; the anchor still guards the new end.
  await truncate(home.logPath, (await home.bytes()).lastIndexOf(10, -2) + 1)
  await using audit = await home.open()
  assert.match(audit.damage ?? '', /cut short/)
})
