/** Whole-file writes: the file on disk is always one whole value, also after the writer is killed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { onlyInFull } from '../kernel/test-rounds.ts'
import { createFiles, sweepTemporaries } from './files.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-files-'))
})
after(() => rmSync(folder, { recursive: true }))

const files = createFiles()

test('write() and read() give back the same bytes, whatever they are', async () => {
  const path = join(folder, 'value')
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async (bytes) => {
      await files.write(path, bytes)
      assert.deepEqual(await files.read(path), Buffer.from(bytes))
    }),
    { numRuns: 30 },
  )
})

test('write() makes files 0600 and the folders it needs 0700, under any umask', async () => {
  const before = process.umask(0)
  try {
    await files.write(join(folder, 'deep', 'er', 'file'), 'x')
  } finally {
    process.umask(before)
  }
  assert.equal(statSync(join(folder, 'deep')).mode & 0o777, 0o700)
  assert.equal(statSync(join(folder, 'deep', 'er')).mode & 0o777, 0o700)
  assert.equal(statSync(join(folder, 'deep', 'er', 'file')).mode & 0o777, 0o600)
})

test('replace() asks when the new bytes are on disk, and leaves another file alone', async () => {
  const path = join(folder, 'shared', 'file')
  await files.write(path, 'old')
  const seen: (readonly string[])[] = []
  const isStill = (answer: boolean) => async () => {
    seen.push(readdirSync(join(folder, 'shared')).filter((name) => name !== 'file'))
    return answer
  }
  assert.equal(await files.replace(path, 'new', 0o640, isStill(false)), false)
  assert.equal(readFileSync(path, 'utf8'), 'old')
  const failing = (): Promise<boolean> => Promise.reject(new Error('unreadable'))
  await assert.rejects(files.replace(path, 'new', 0o640, failing), /unreadable/)
  assert.deepEqual(readdirSync(join(folder, 'shared')), ['file'])
  assert.equal(await files.replace(path, 'new', 0o640, isStill(true)), true)
  assert.equal(readFileSync(path, 'utf8'), 'new')
  assert.equal(statSync(path).mode & 0o777, 0o640)
  assert.deepEqual(
    seen.map(({ length }) => length),
    [1, 1],
  )
})

test('write() narrows the mode of a file that others could read', async () => {
  const path = join(folder, 'wide')
  writeFileSync(path, 'old', { mode: 0o644 })
  await files.write(path, 'new')
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('write() replaces a symbolic link and leaves what it led to alone', async () => {
  const target = join(folder, 'target')
  const link = join(folder, 'link')
  writeFileSync(target, 'theirs')
  symlinkSync(target, link)
  await files.write(link, 'ours')
  assert.equal(String(await files.read(target)), 'theirs')
  assert.equal(String(await files.read(link)), 'ours')
})

test('writes to one path happen in the order they were asked for', async () => {
  const path = join(folder, 'ordered')
  const values = Array.from({ length: 50 }, (_, index) => String(index))
  await Promise.all(values.map((value) => files.write(path, value)))
  assert.equal(String(await files.read(path)), '49')
  await Promise.all([files.write(path, 'x'), files.remove(path)])
  assert.equal(await files.read(path), undefined)
})

test('writes into a folder that is not there yet do not get in each other’s way', async () => {
  const names = Array.from({ length: 20 }, (_, index) => join(folder, 'x', 'y', 'z', String(index)))
  await Promise.all(names.map((name) => files.write(name, 'x')))
  assert.equal((await files.list(join(folder, 'x', 'y', 'z'))).length, 20)
})

test('a write that fails leaves no temporary file, and the next one works', async () => {
  const path = join(folder, 'occupied', 'name')
  mkdirSync(path, { recursive: true })
  const results = await Promise.allSettled([files.write(path, 'x'), files.remove(path)])
  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual(readdirSync(join(folder, 'occupied')), ['name'])
  rmSync(path, { recursive: true })
  await files.write(path, 'y')
  assert.equal(String(await files.read(path)), 'y')
})

test('read(), list() and remove() take absence for an answer', async () => {
  await files.write(join(folder, 'plain'), 'x')
  for (const path of [join(folder, 'none'), join(folder, 'no', 'ne'), join(folder, 'plain', 'x')]) {
    assert.equal(await files.read(path), undefined)
    assert.deepEqual(await files.list(path), [])
    await files.remove(path)
  }
})

test('list() names the plain files only, sorted, and nothing unfinished', async () => {
  const listed = join(folder, 'listed')
  mkdirSync(join(listed, 'folder'), { recursive: true })
  symlinkSync('b', join(listed, 'link'))
  for (const name of ['b', 'a', 'B', '.hidden', '.cordon-0123456789abcdef.tmp']) {
    writeFileSync(join(listed, name), '')
  }
  assert.deepEqual(await files.list(listed), ['.hidden', 'B', 'a', 'b'])
})

test('sweepTemporaries() removes unfinished files of ours and nothing else', async () => {
  const root = join(folder, 'swept')
  const ours = '.cordon-0123456789abcdef.tmp'
  const others = [
    '.cordon-xyz.tmp',
    'cordon-0123456789abcdef.tmp',
    '.cordon-0123456789abcdef.tmp.toml',
  ]
  mkdirSync(join(root, 'a', 'b', 'c', ours), { recursive: true })
  for (const place of ['', 'a', 'a/b', 'a/b/c']) {
    for (const name of others) writeFileSync(join(root, place, name), '')
    if (place !== 'a/b/c') writeFileSync(join(root, place, ours), '')
  }
  await sweepTemporaries(root, 2)
  const left = readdirSync(root, { recursive: true }).filter((name) => String(name).endsWith(ours))
  assert.deepEqual(left, [join('a', 'b', 'c', ours)])
  for (const place of ['', 'a', 'a/b']) {
    assert.deepEqual(
      readdirSync(join(root, place))
        .filter((name) => name.includes('cordon'))
        .sort(),
      [...others].sort(),
    )
  }
})

test('close() waits for writes under way and refuses later ones', async () => {
  const closing = createFiles()
  const path = join(folder, 'closing')
  const writing = closing.write(path, 'last')
  await closing.close()
  assert.equal(String(await files.read(path)), 'last')
  await writing
  await assert.rejects(closing.write(path, 'late'), /closed/)
  assert.equal(String(await files.read(path)), 'last')
})

test('HOME-3: a writer killed at any moment leaves one whole value', onlyInFull, async () => {
  const root = join(folder, 'killed')
  mkdirSync(root)
  const path = join(root, 'value')
  const script = `
    import { createFiles } from ${JSON.stringify(import.meta.resolve('./files.ts'))}
    const files = createFiles()
    for (let n = 0; n < 1000; n++) {
      await files.write(${JSON.stringify(path)}, String.fromCharCode(97 + (n % 26)).repeat(200_000 + (n % 26)))
      process.stdout.write('.')
    }
    await new Promise(() => setInterval(() => {}, 1000))`
  const seen = new Set<string>()
  let unfinished = 0
  for (let round = 0; round < 25; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const done = { writes: 0 }
    child.stdout.on('data', (dots: Buffer) => (done.writes += dots.length))
    while (done.writes <= round % 7) await sleep(1)
    await sleep(Math.random() * 30)
    child.kill('SIGKILL')
    await once(child, 'exit')

    const value = String(await files.read(path))
    const letter = value.charAt(0)
    assert.equal(value, letter.repeat(200_000 + letter.charCodeAt(0) - 97))
    seen.add(letter)
    unfinished += readdirSync(root).length - 1
    await sweepTemporaries(root, 0)
    assert.deepEqual(readdirSync(root), ['value'])
  }
  // Otherwise all kills hit the same harmless moment.
  assert.ok(seen.size > 3, `only ${[...seen].join()}`)
  assert.ok(unfinished > 0, 'no kill hit a write under way')
})
