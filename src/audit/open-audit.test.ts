import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdir, readdir, stat, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AuditRecord } from '../kernel/audit-record.ts'
import { canonicalJson } from '../text/json.ts'
import { OWNER } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { ToolCall } from '../kernel/tool-call.ts'
import { createTestHome, event, fill } from './test-audit.ts'

const call: ToolCall = {
  callId: '0b9f6a52-7f1e-4f0e-9a86-3a0f6c1d2e4b',
  principal: OWNER,
  tool: { server: parseServerId('notion'), name: 'search' },
  args: { query: 'quarterly plan', pages: [{ id: 1 }, { id: 2 }] },
}
const allow = { kind: 'allow', rule: 'read-only' } as const

test('append() writes one canonical line per record, each tied to the one before', async () => {
  await using home = await createTestHome()
  await using audit = await home.open({ now: () => Date.UTC(2026, 0, 2) })
  const receipts = [audit.append(event('a')), audit.append(event('b'))]
  const lines = (await home.bytes()).toString().split('\n')
  const [first, second] = (await audit.read({ limit: 2 })) as [AuditRecord, AuditRecord]
  assert.equal(lines.length, 3)
  assert.equal(lines[0], canonicalJson({ ...first }))
  assert.equal(lines[1], canonicalJson({ ...second }))
  assert.deepEqual([first.seq, second.seq], [1, 2])
  assert.deepEqual(
    receipts.map(({ seq, hash }) => [seq, hash]),
    [first, second].map(({ seq, hash }) => [seq, hash]),
  )
  assert.equal(first.at, '2026-01-02T00:00:00.000Z')
  assert.equal(first.prev, '0'.repeat(64))
  assert.equal(second.prev, first.hash)
  const { hash: stated, ...body } = second
  assert.equal(stated, hash('sha256', canonicalJson(body)))
})

test('The chain goes on after the log was closed and opened again', async () => {
  await using home = await createTestHome()
  for (const subject of ['a', 'b', 'c']) {
    await using audit = await home.open()
    await audit.appendDurable(event(subject))
  }
  await using audit = await home.open()
  const records = await audit.read({ limit: 10 })
  assert.deepEqual(
    records.map(({ seq, subject }) => [seq, subject]),
    [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ],
  )
  const report = await audit.verify()
  assert.deepEqual(report, { ok: true, records: 3, head: records[2]?.hash })
})

test('Only the owner of the home can read what lies in the folder', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  await audit.appendDurable(event('a'))
  assert.equal((await stat(home.folder)).mode & 0o777, 0o700)
  for (const name of [...(await readdir(home.folder)), join('..', 'audit-head')]) {
    assert.equal((await stat(join(home.folder, name))).mode & 0o777, 0o600, name)
  }
})

test('openAudit() says what it could not open', async () => {
  await using home = await createTestHome()
  await writeFile(home.folder, 'not a folder')
  await assert.rejects(home.open(), { code: 'audit.open-failed', exit: 5 })
})

test('A record too large to keep gives up its details and says so', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  const many = Array.from({ length: 2000 }, (_, n) => `line ${n} of many`)
  audit.append({ ...event('a'), details: { many } })
  audit.append({ ...event('word '.repeat(100_000)), details: { many, leftOut: 1 } })
  const [record, vast] = (await audit.read({ limit: 2 })) as [AuditRecord, AuditRecord]
  assert.equal(record.details?.['leftOut'], 'too large')
  assert.equal(record.subject, 'a')
  assert.ok(Buffer.byteLength(canonicalJson({ ...vast })) < 16_384)
  assert.equal((await audit.verify()).ok, true)
})

test('Foreign text that no JSON can hold is mended, not thrown on', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  const details = { '\ud800key': ['\udc00', Number.POSITIVE_INFINITY] }
  audit.append({ ...event('half \ud83d'), details })
  const [record] = (await audit.read({ limit: 1 })) as [AuditRecord]
  assert.equal(record.subject, 'half \ufffd')
  assert.deepEqual(record.details, { '\ufffdkey': ['\ufffd', null] })
  let deep: unknown = 'end'
  for (let level = 0; level < 20_000; level += 1) deep = [deep]
  const entry = await audit.begin({ ...call, args: { deep } as ToolCall['args'] }, allow, 'write')
  await entry.end({ kind: 'refused', reason: 'too deep' })
  assert.equal((await audit.verify()).ok, true)
})

test('The record of a call says in how many places its arguments were disarmed, and not what stood there', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  const disarmed = [{ arg: 'body', links: 3, numbers: 1 }]
  const entry = await audit.begin({ ...call, disarmed }, allow, 'write')
  await entry.end({ kind: 'refused', reason: 'no' })
  const [begin] = await audit.read({ limit: 10 })
  assert.deepEqual(begin?.details?.['disarmed'], disarmed)
  assert.equal((await audit.verify()).ok, true)
})

test('AUDIT-3: a call is recorded by its shape, a hash and a preview, and end() says what became of it', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  const entry = await audit.begin(call, allow, 'write')
  const begun = (await home.bytes()).toString()
  assert.match(begun, /"kind":"call\.begin"/)

  const result = {
    kind: 'ok',
    value: { title: 'Plan of the quarter', rows: [1, 2, 3] },
    label: { integrity: 'external', level: 'internal', origins: new Set(['notion']) },
  } as const
  assert.equal(await entry.end(result), result)
  entry[Symbol.dispose]()

  const [begin, end, ...rest] = await audit.read({ limit: 10 })
  assert.deepEqual(rest, [])
  assert.equal(begin?.subject, 'notion.search')
  const { args, ...facts } = begin?.details ?? {}
  assert.deepEqual(facts, {
    callId: call.callId,
    verdict: 'allow',
    rule: 'read-only',
    effect: 'write',
  })
  const { hash: argsHash, ...described } = args as Record<string, unknown>
  assert.match(String(argsHash), /^[0-9a-f]{32}$/)
  assert.deepEqual(described, {
    shape: { query: 'string(14)', pages: 'array(2) of object' },
    preview: '{"query":"quarterly plan","pages":[{"id":1},{"id":2}]}',
  })
  assert.equal(end?.kind, 'call.end')
  assert.equal(end?.details?.['level'], 'internal')
  assert.doesNotMatch((await home.bytes()).toString(), /Plan of the quarter/)
  assert.equal((await audit.verify()).ok, true)
})

test('The two records of a flow step have one id, and a credential in an id is hidden', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  const callId = `${call.callId}/step1/1`
  const entry = await audit.begin({ ...call, callId }, allow, 'write')
  await entry.end({ kind: 'failed', code: 'call.timeout', reason: 'x' })
  const token = `ghp_${'aB3dE6gH9'.repeat(4)}`
  using odd = await audit.begin({ ...call, callId: `run/${token}/1` }, allow, 'write')
  assert.ok(odd)
  const ids = (await audit.read({ limit: 3 })).map(({ details }) => details?.['callId'])
  assert.deepEqual(ids.slice(0, 2), [callId, callId])
  assert.doesNotMatch(JSON.stringify(ids), /ghp_/)
})

test('A call that is never ended is closed as failed', async () => {
  await using home = await createTestHome()
  await using audit = await home.open()
  {
    using _entry = await audit.begin(call, allow, 'write')
  }
  const last = (await audit.read({ limit: 1 }))[0]
  assert.equal(last?.kind, 'call.end')
  assert.deepEqual(last?.details, { callId: call.callId, kind: 'failed' })
})

test('An entry that outlives the log is disposed without a throw, and logged', async () => {
  await using home = await createTestHome()
  const audit = await home.open()
  const entry = await audit.begin(call, allow, 'write')
  await audit[Symbol.asyncDispose]()
  await audit[Symbol.asyncDispose]()
  entry[Symbol.dispose]()
  assert.deepEqual(home.logged, [
    'error The end of a tool call could not be written to the audit log',
  ])
  assert.throws(() => audit.append(event('late')), { code: 'audit.closed' })
})

test('snapshot() is a log of one moment that verifies by itself, while records are added', async () => {
  await using home = await createTestHome()
  await using audit = await home.open({ fileBytes: 6000 })
  for (let n = 0; n < 50; n += 1) audit.append(event(`before-${n}`))
  const taking = audit.snapshot()
  for (let n = 0; n < 50; n += 1) audit.append(event(`after-${n}`))
  const { files, anchor } = await taking
  audit.append(event('later'))
  await using copy = await createTestHome()
  await mkdir(copy.folder, { recursive: true })
  assert.ok(files.length > 1)
  for (const { name, bytes } of files) {
    const content = await readFile(join(home.folder, name))
    await writeFile(join(copy.folder, name), content.subarray(0, bytes))
  }
  await writeFile(copy.anchorPath, anchor)
  await using restored = await copy.open()
  assert.equal(restored.damage, undefined)
  const { ok, records } = await restored.verify()
  assert.equal(ok, true)
  assert.ok(records >= 50 && records <= 100)
})

test('snapshot() takes a damaged log as it is', async () => {
  await using home = await createTestHome()
  await fill(home, 3)
  await home.write((await home.bytes()).subarray(0, 20))
  await using audit = await home.open()
  assert.ok(audit.damage)
  assert.deepEqual((await audit.snapshot()).files, [{ name: 'audit.jsonl', bytes: 20 }])
})
