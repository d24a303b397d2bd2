/** The SQLite file: private, created whole, and refused untouched when it is damaged or not ours. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { CordonError } from '../kernel/error.ts'
import type { DefinitionHashes } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import { openStore, type Store } from './open-store.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-sqlite-'))
  path = join(folder, 'state.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const log = { info() {}, warn() {}, error() {} }
const open = (sqlitePath = path): Promise<Store> => openStore({ sqlitePath, log })
const hashesIn = (store: Store): DefinitionHashes => store.forOwner(OWNER.id).definitionHashes

async function fillStore(): Promise<void> {
  await using store = await open()
  for (let n = 0; n < 30; n++) {
    await hashesIn(store).put(`/${n}/${'x'.repeat(500)}`, String(n))
  }
}

async function isRefusedUntouched(): Promise<void> {
  const before = readFileSync(path)
  await assert.rejects(open(), (error) => {
    assert.ok(error instanceof CordonError, String(error))
    assert.equal(error.code, 'store.damaged')
    assert.equal(error.exit, 5)
    assert.match(error.message, /^Cannot use the database "/)
    return true
  })
  assert.deepEqual(readFileSync(path), before)
  assert.deepEqual(readdirSync(folder), ['state.db'])
}

test('the database and the files beside it are 0600, also when they were not', async () => {
  const umask = process.umask(0)
  try {
    for (const _ of ['new', 'old']) {
      await using store = await open()
      await hashesIn(store).put('/a', 'x')
      assert.deepEqual(readdirSync(folder).sort(), ['state.db', 'state.db-shm', 'state.db-wal'])
      for (const name of readdirSync(folder)) {
        assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
      }
      chmodSync(path, 0o644)
    }
  } finally {
    process.umask(umask)
  }
})

test('the database is kept the way it promises: WAL, strict tables, a principal in every row of a person', async () => {
  await fillStore()
  using database = new DatabaseSync(path)
  assert.equal(database.prepare('PRAGMA journal_mode').get()?.['journal_mode'], 'wal')
  const tables = database.prepare(`select * from pragma_table_list where schema = 'main'`).all()
  const ours = tables.filter(({ name }) => !String(name).startsWith('sqlite_'))
  assert.equal(ours.length, 20)
  for (const { name, strict } of ours) {
    assert.equal(strict, 1, String(name))
    const columns = database.prepare('select name from pragma_table_info(?)').all(String(name))
    const scoped = columns.some((column) => column['name'] === 'principal')
    assert.equal(scoped, !['cordon_migration', 'lock'].includes(String(name)), String(name))
  }
})

test('an endorsement of an older Cordon, which held anywhere, is dropped', async () => {
  await fillStore()
  {
    using database = new DatabaseSync(path)
    database.exec(`delete from cordon_migration where name = '0005-endorsement-place';
      drop table endorsement;
      create table endorsement (principal text, task_id text, value_hash text, until text) strict;
      insert into endorsement values ('${OWNER.id}', 't', 'h', '9999-01-01T00:00:00.000Z')`)
  }
  await using store = await open()
  assert.deepEqual(await store.grants.endorsements(OWNER.id, Date.now()), [])
  const place = { taskId: 't', server: 'mail', argument: 'to', valueHash: 'h' }
  const one = { ...place, expiresAt: Date.now() + 3_600_000 }
  await store.grants.endorse(OWNER.id, [one])
  assert.deepEqual(await store.grants.endorsements(OWNER.id, Date.now()), [one])
})

test('a database cut short anywhere is refused and left as it is', async () => {
  await fillStore()
  const whole = readFileSync(path)
  assert.ok(whole.length > 5 * 4096)
  const lengths = [
    0,
    1,
    15,
    16,
    99,
    100,
    511,
    512,
    4095,
    4096,
    4097,
    8192,
    whole.length - 4096,
    whole.length - 1,
  ]
  for (const length of lengths) {
    writeFileSync(path, whole.subarray(0, length))
    await isRefusedUntouched()
  }
})

test('a file of garbage, or another program’s database, is refused and left as it is', async () => {
  for (const garbage of [
    Buffer.alloc(8192),
    Buffer.alloc(8192, 'garbage '),
    Buffer.from('hello'),
  ]) {
    writeFileSync(path, garbage)
    await isRefusedUntouched()
  }
  rmSync(path)
  const theirs = new DatabaseSync(path)
  theirs.exec('create table session (theirs text)')
  theirs.close()
  await isRefusedUntouched()
})

test('garbage anywhere in a database is either harmless or refused, never a crash or a reset', async () => {
  await fillStore()
  const original = join(folder, 'original')
  copyFileSync(path, original)
  const size = statSync(path).size
  await fc.assert(
    fc.asyncProperty(
      fc.nat(size - 64),
      fc.uint8Array({ minLength: 8, maxLength: 64 }),
      async (at, bytes) => {
        const damaged = readFileSync(original)
        damaged.set(bytes, at)
        writeFileSync(path, damaged)
        try {
          await using _store = await open()
        } catch (error) {
          assert.ok(error instanceof CordonError, String(error))
          assert.match(error.code, /^store\.(?:damaged|newer)$/)
          assert.deepEqual(readFileSync(path), damaged)
        }
      },
    ),
    { numRuns: 60 },
  )
  writeFileSync(path, readFileSync(original).fill(0xff, 4096, 8192))
  await assert.rejects(open(), { code: 'store.damaged' })
})

test('a process killed while it creates databases leaves nothing that stands in the way', async () => {
  const script = `
    import { writeSync } from 'node:fs'
    import { openStore } from ${JSON.stringify(import.meta.resolve('./open-store.ts'))}
    const log = { info() {}, warn() {}, error() {} }
    for (let n = 0; ; n++) {
      await using store = await openStore({ sqlitePath: ${JSON.stringify(folder)} + '/' + n + '.db', log })
      if (n === 3) writeSync(1, 'warm')
    }`
  for (let round = 0; round < 4; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    await sleep(Math.random() * 30)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const count = new Set(readdirSync(folder).map((name) => name.split('.')[0])).size
    for (let n = 0; n < count; n++) {
      await (await open(join(folder, `${n}.db`)))[Symbol.asyncDispose]()
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.endsWith('.db')),
      [],
    )
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
  }
})

test('drafts that a killed process left behind are removed', async () => {
  for (const name of ['state.db.new-1', 'state.db.new-1-journal', 'state.db-old', 'other']) {
    writeFileSync(join(folder, name), '')
  }
  await using _store = await open()
  const left = readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name))
  assert.deepEqual(left.sort(), ['other', 'state.db', 'state.db-old'])
})

test('a folder that is not there is not taken for a new home', async () => {
  await assert.rejects(open(join(folder, 'none', 'state.db')), { code: 'ENOENT' })
})

test('a full or read-only disk is reported in words, and what was stored stays', async (context) => {
  const disk = ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', folder]
  const mounting = spawnSync('mount', disk, { encoding: 'utf8' })
  if (mounting.status !== 0) return context.skip(`mounting is not permitted: ${mounting.stderr}`)
  try {
    {
      await using store = await open()
      await hashesIn(store).put('/a', 'old')
      await assert.rejects(hashesIn(store).put('/a', 'x'.repeat(1_000_000)), {
        code: 'store.full',
        exit: 5,
      })
      assert.equal(await hashesIn(store).get('/a'), 'old')
    }
    execFileSync('mount', ['-o', 'remount,ro', folder])
    await assert.rejects(open(), { code: 'store.read-only', exit: 5 })
    await assert.rejects(open(join(folder, 'new.db')), { code: 'store.read-only', exit: 5 })
    execFileSync('mount', ['-o', 'remount,rw', folder])
    await using store = await open()
    assert.equal(await hashesIn(store).get('/a'), 'old')
  } finally {
    execFileSync('umount', [folder])
  }
})

test('a database that is damaged while in use is reported in words', async () => {
  await fillStore()
  await using store = await open()
  truncateSync(path, 4096)
  await assert.rejects(hashesIn(store).put(`/7/${'x'.repeat(500)}`, 'new'), {
    name: 'CordonError',
    code: 'store.damaged',
  })
})
