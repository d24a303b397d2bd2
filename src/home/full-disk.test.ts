/** A full or read-only disk: a clear refusal, the old value intact, nothing half-written. Needs root to mount. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { createFiles } from './files.ts'
import { openLog } from './open-log.ts'
import { openHome } from './open-home.ts'

const SIZE = 256 * 1024
const disk = mkdtempSync(join(tmpdir(), 'cordon-disk-'))
const home = join(disk, 'home')
const mounting = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', disk], {
  encoding: 'utf8',
})
const skip =
  mounting.status === 0 ? false : `mounting a small disk is not permitted: ${mounting.stderr}`

after(() => {
  if (!skip) execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})
beforeEach(() => {
  for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true })
})

function fill(): void {
  const chunk = Buffer.alloc(4096)
  assert.throws(
    () => {
      for (let n = 0; ; n++)
        writeFileSync(join(disk, 'filler'), chunk, { flag: n === 0 ? 'w' : 'a' })
    },
    { code: 'ENOSPC' },
  )
}

function isRefusal(code: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CordonError)
    assert.equal(error.code, code)
    assert.equal(error.exit, 5)
    assert.match(error.message, /^Cannot write to "/)
    return true
  }
}

test('HOME-3: a write to a full disk is refused and leaves the old value and no trace', {
  skip,
}, async () => {
  const files = createFiles()
  const path = join(disk, 'value')
  await files.write(path, 'old')
  await assert.rejects(files.write(path, Buffer.alloc(SIZE * 2)), isRefusal('home.full'))
  fill()
  await assert.rejects(files.write(path, Buffer.alloc(8192)), isRefusal('home.full'))
  assert.equal(readFileSync(path, 'utf8'), 'old')
  assert.deepEqual(readdirSync(disk).sort(), ['filler', 'value'])
})

test('openHome() refuses a disk with too little room before it creates anything', {
  skip,
}, async () => {
  await assert.rejects(openHome(home), isRefusal('home.full'))
  assert.deepEqual(readdirSync(disk), [])
  await using opened = await openHome(home, { minFreeBytes: 1024 })
  await opened.files.write(join(home, 'config.toml'), '')
})

test('openHome() refuses a full disk also where no room is demanded', { skip }, async () => {
  await (await openHome(home, { minFreeBytes: 0 }))[Symbol.asyncDispose]()
  fill()
  const before = readdirSync(home, { recursive: true })
  await assert.rejects(openHome(home, { minFreeBytes: 0 }), isRefusal('home.full'))
  assert.deepEqual(readdirSync(home, { recursive: true }), before)
  rmSync(join(disk, 'filler'))
  await using _home = await openHome(home, { minFreeBytes: 0 })
})

test('a read-only disk is refused for a write, for a new home and for an old one', {
  skip,
}, async () => {
  await (await openHome(home, { minFreeBytes: 0 }))[Symbol.asyncDispose]()
  execFileSync('mount', ['-o', 'remount,ro', disk])
  try {
    const options = { minFreeBytes: 0 }
    const files = createFiles()
    await assert.rejects(files.write(join(home, 'x'), 'x'), isRefusal('home.read-only'))
    await assert.rejects(files.write(join(disk, 'new', 'x'), 'x'), isRefusal('home.read-only'))
    await assert.rejects(openHome(home, options), isRefusal('home.read-only'))
    await assert.rejects(openHome(join(disk, 'other'), options), isRefusal('home.read-only'))
  } finally {
    execFileSync('mount', ['-o', 'remount,rw', disk])
  }
})

test('a log on a full disk drops lines without a sound, keeps whole ones, and says how many are missing', {
  skip,
}, async () => {
  mkdirSync(home)
  {
    await using log = openLog({ folder: home, redactor: { redact: (text) => text } })
    log.info('before')
    fill()
    for (let n = 0; n < 100; n++) log.info('x'.repeat(1000))
    rmSync(join(disk, 'filler'))
    log.info('after')
  }
  const lines = readFileSync(join(home, 'cordon.log'), 'utf8').trimEnd().split('\n')
  const records = lines.map((line) => JSON.parse(line) as { msg: string; droppedLines?: number })
  const last = records.at(-1)
  assert.equal(records[0]?.msg, 'before')
  assert.equal(last?.msg, 'after')
  assert.equal(records.length - 2 + (last?.droppedLines ?? 0), 100)
  assert.ok((last?.droppedLines ?? 0) > 50)
})
