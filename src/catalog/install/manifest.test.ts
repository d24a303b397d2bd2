import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { onlyInFull } from '../../kernel/test-rounds.ts'
import { firstDifference, looksUntouched, parseManifest } from './manifest.ts'
import { manifestPin, spellManifest } from './spell-manifest.ts'
import { describeTree, sealTree, type TreeEntry } from './tree.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-manifest-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(path.join(folder, 'a', 'b'), { recursive: true })
writeFileSync(path.join(folder, 'a', 'b', 'ü "quoted".js'), 'text', { mode: 0o666 })
writeFileSync(path.join(folder, 'a', 'program'), 'text', { mode: 0o775 })
await sealTree(folder, ['a'])
const entries = await describeTree(folder, ['a'])

test('describeTree() lists folders before what is in them, each with its facts', () => {
  assert.deepEqual(
    entries.map((entry) => [entry.path, entry.mode, entry.size]),
    [
      ['a/', 0o755, 0],
      ['a/b/', 0o755, 0],
      ['a/b/ü "quoted".js', 0o644, 4],
      ['a/program', 0o755, 4],
    ],
  )
  assert.equal(entries[2]?.sha512.length, 88)
})

test('describeTree() holds pieces of large files in memory, not the files', async () => {
  mkdirSync(path.join(folder, 'large'))
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => path.join(folder, 'large', name))
  for (const name of names) {
    writeFileSync(name, '')
    truncateSync(name, 2 ** 24)
  }
  const held = (): number => process.memoryUsage().arrayBuffers
  const before = held()
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, held() - before)
  }, 1)
  const large = await describeTree(folder, ['large'])
  clearInterval(watch)
  rmSync(path.join(folder, 'large'), { recursive: true })
  assert.ok(most < 3 * 2 ** 24, `held ${most} bytes`)
  const zeros = hash('sha512', Buffer.alloc(2 ** 24), 'base64')
  assert.ok(large.slice(1).every(({ sha512 }) => sha512 === zeros))
})

test('describeTree() lists a folder of 150,000 names', onlyInFull, async () => {
  const many = mkdtempSync('/dev/shm/cordon-many-')
  try {
    for (let at = 0; at < 150_000; at += 1) closeSync(openSync(path.join(many, String(at)), 'w'))
    const listed = await describeTree(path.dirname(many), [path.basename(many)])
    assert.equal(listed.length, 150_001)
  } finally {
    rmSync(many, { recursive: true })
  }
})

test('a manifest is read back as it was written', () => {
  const time = fc.double({ min: 0, max: 1e13, noNaN: true })
  const texts = { path: fc.string(), sha512: fc.base64String() }
  const numbers = { mode: fc.nat(), size: fc.nat(), ctimeMs: time, mtimeMs: time, inode: fc.nat() }
  const entry = fc.record<TreeEntry>({ ...texts, ...numbers }, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.array(entry), (some) => {
      assert.deepEqual(parseManifest(spellManifest(some)), some)
    }),
  )
  assert.notEqual(manifestPin('a'), manifestPin('b'))
})

test('looksUntouched() sees a file that was added, by the facts of its folder', async () => {
  assert.ok(await looksUntouched(folder, entries))
  writeFileSync(path.join(folder, 'a', 'b', 'new'), '')
  assert.ok(!(await looksUntouched(folder, entries)))
  rmSync(path.join(folder, 'a', 'b', 'new'))
  assert.ok(!(await looksUntouched(folder, entries)), 'that it was there shows, too')
})

test('firstDifference() compares names, bytes and permissions, and nothing else', () => {
  const [first, ...rest] = entries
  assert.ok(first)
  assert.equal(firstDifference(entries, entries), undefined)
  assert.equal(firstDifference(entries, [{ ...first, ctimeMs: 1, inode: 1 }, ...rest]), undefined)
  assert.match(firstDifference(entries, rest) ?? '', /"a\/" was removed/)
  assert.match(firstDifference(rest, entries) ?? '', /"a\/" was added/)
  assert.match(firstDifference(entries, [{ ...first, sha512: 'x' }, ...rest]) ?? '', /was changed/)
  assert.match(firstDifference(entries, [{ ...first, mode: 0o777 }, ...rest]) ?? '', /permissions/)
})
