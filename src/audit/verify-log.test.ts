import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { copyFile, rm, truncate, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { AuditRecord, VerifyReport } from '../kernel/audit-record.ts'
import { rounds } from '../kernel/test-rounds.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'
import { createTestHome, event, fill, type TestHome } from './test-audit.ts'

const COUNT = 12
let home: TestHome
let original: Buffer
let lines: string[]

before(async () => {
  home = await createTestHome()
  await fill(home, COUNT)
  original = await home.bytes()
  lines = original.toString().trimEnd().split('\n')
  await copyFile(home.anchorPath, `${home.anchorPath}.original`)
})
after(() => home[Symbol.asyncDispose]())

/** Verifies as a new process would, after the files were tampered with. */
async function verifyTampered(bytes: Uint8Array | string): Promise<VerifyReport> {
  await home.write(bytes)
  await copyFile(`${home.anchorPath}.original`, home.anchorPath)
  await using audit = await home.open()
  return await audit.verify()
}

async function assertFound(bytes: Uint8Array | string, seq: number): Promise<void> {
  const report = await verifyTampered(bytes)
  assert.equal(report.ok, false)
  assert.equal(report.problem?.seq, seq, report.problem?.message)
  assert.equal(report.problem?.line, seq)
  assert.match(report.problem?.message ?? '', new RegExp(`^Record ${seq} `))
}

function join(changed: readonly (string | undefined)[]): string {
  return changed.map((line) => `${line}\n`).join('')
}

/** A record with changed content and a recomputed hash. */
function rehash(line: string | undefined, changes: JsonObject): string {
  const { hash: _old, ...body } = { ...(JSON.parse(line ?? '') as AuditRecord), ...changes }
  return canonicalJson({ ...body, hash: hash('sha256', canonicalJson({ ...body })) })
}

const position = fc.integer({ min: 1, max: COUNT })

test('verify() finds nothing wrong with a log nobody touched', async () => {
  const report = await verifyTampered(original)
  assert.deepEqual([report.ok, report.records], [true, COUNT])
})

test('AUDIT-2: verify() finds any flipped byte and names its record', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(original.length - 1),
      fc.integer({ min: 1, max: 255 }),
      async (at, mask) => {
        const changed = Buffer.from(original)
        changed[at] = (changed[at] ?? 0) ^ mask
        await assertFound(changed, original.subarray(0, at).toString().split('\n').length)
      },
    ),
    { numRuns: rounds(300, 60) },
  )
})

test('verify() finds a newline that became another byte, at every record', async () => {
  for (let at = original.indexOf(10), n = 1; at !== -1; at = original.indexOf(10, at + 1), n += 1) {
    const changed = Buffer.from(original)
    changed[at] = 0x20
    await assertFound(changed, n)
  }
})

test('verify() finds white space, other spellings and byte order marks that change no value', async () => {
  const [first = '', ...rest] = lines
  await assertFound(join([` ${first}`, ...rest]), 1)
  await assertFound(join([`${first}\r`, ...rest]), 1)
  await assertFound(join([`\ufeff${first}`, ...rest]), 1)
  await assertFound(join([first.replace('"seq":1', '"seq":1.0'), ...rest]), 1)
  await assertFound(join([first.replace('thing', '\\u0074hing'), ...rest]), 1)
  await assertFound(join([first, '', ...rest]), 2)
})

test('AUDIT-2: verify() finds any removed record', async () => {
  for (let seq = 1; seq <= COUNT; seq += 1)
    await assertFound(join(lines.toSpliced(seq - 1, 1)), seq)
})

test('verify() finds any repeated record', async () => {
  await fc.assert(
    fc.asyncProperty(position, position, async (from, to) => {
      const repeated = lines.toSpliced(to - 1, 0, lines[from - 1] ?? '')
      await assertFound(join(repeated), from === to ? to + 1 : to)
    }),
    { numRuns: 60 },
  )
})

test('verify() finds any two records that changed places', async () => {
  await fc.assert(
    fc.asyncProperty(position, position, async (a, b) => {
      fc.pre(a !== b)
      const swapped = lines.with(a - 1, lines[b - 1] ?? '').with(b - 1, lines[a - 1] ?? '')
      await assertFound(join(swapped), Math.min(a, b))
    }),
    { numRuns: 60 },
  )
})

test('AUDIT-2: verify() finds a log that was cut anywhere, also between records', async () => {
  const cut = fc.oneof(
    fc.nat(original.length - 1),
    position.map((seq) => join(lines.slice(0, seq - 1)).length),
  )
  await fc.assert(
    fc.asyncProperty(cut, async (length) => {
      const left = original.subarray(0, length)
      await assertFound(left, left.toString().split('\n').length)
    }),
    { numRuns: 120 },
  )
})

test('verify() finds a record that was rewritten with a hash of its own', async () => {
  for (let seq = 1; seq <= COUNT; seq += 1) {
    const forged = rehash(lines[seq - 1], { subject: 'nothing happened' })
    await assertFound(join(lines.with(seq - 1, forged)), seq)
  }
})

test('verify() finds a well-made record that was put between two others', async () => {
  for (let seq = 2; seq <= COUNT; seq += 1) {
    const prev = (JSON.parse(lines[seq - 2] ?? '') as AuditRecord).hash
    const forged = rehash(lines[seq - 1], { subject: 'put in', prev })
    // As the last record, the forged one already differs from the anchor.
    await assertFound(join(lines.toSpliced(seq - 1, 0, forged)), Math.min(seq + 1, COUNT))
  }
})

test('verify() finds a chain that was rewritten as a whole, by its anchor', async () => {
  let prev = '0'.repeat(64)
  const rewritten = lines.map((line) => {
    const forged = rehash(line, { prev, principal: 'principal:mallory' })
    prev = (JSON.parse(forged) as AuditRecord).hash
    return forged
  })
  await assertFound(join(rewritten), COUNT)
})

test('verify() says so when the anchor is gone, spoilt, or of another log', async () => {
  await verifyTampered(original)
  for (const spoil of [
    () => rm(home.anchorPath),
    () => writeFile(home.anchorPath, 'x'.repeat(1024)),
  ]) {
    await copyFile(`${home.anchorPath}.original`, home.anchorPath)
    await using audit = await home.open()
    await spoil()
    const report = await audit.verify()
    assert.match(report.problem?.message ?? '', /^The anchor of the log is (absent|unreadable)$/)
    assert.equal(report.records, COUNT)
  }
  await using other = await createTestHome()
  await fill(other, COUNT)
  await copyFile(other.anchorPath, `${home.anchorPath}.original`)
  await assertFound(original, COUNT)
})

test('verify() of a running log finds what another process does to it', async () => {
  await using running = await createTestHome()
  await using audit = await running.open()
  for (const subject of ['a', 'b', 'c']) await audit.appendDurable(event(subject))
  const bytes = await running.bytes()
  const twoLines = bytes.indexOf(10, bytes.indexOf(10) + 1) + 1
  await truncate(running.logPath, twoLines)
  assert.equal((await audit.verify()).problem?.seq, 3)
  await rm(running.logPath)
  assert.equal((await audit.verify()).problem?.seq, 1)
})

test('verify() demands a head that was noted elsewhere', async () => {
  await using noted = await createTestHome()
  await using audit = await noted.open()
  const { hash: early } = audit.append(event('a'))
  audit.append(event('b'))
  assert.equal((await audit.verify(early)).ok, true)
  const report = await audit.verify('f'.repeat(64))
  assert.equal(report.ok, false)
  assert.equal(report.records, 2)
  assert.match(report.problem?.message ?? '', /No record has the hash that was noted/)
})
