/** A log over several files: one chain, whatever file a record is in. */
import assert from 'node:assert/strict'
import { appendFile, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestHome, event, type TestHome } from './test-audit.ts'

const SMALL = { fileBytes: 2000 }

/** Records 1 to 60, over several files, in two openings. */
async function fillFiles(home: TestHome): Promise<readonly string[]> {
  for (const part of [1, 31]) {
    await using audit = await home.open(SMALL)
    for (let n = part; n < part + 30; n += 1) audit.append(event(`thing-${n}`))
  }
  const names = (await readdir(home.folder)).filter((name) => /^audit.*jsonl$/.test(name))
  assert.ok(names.length > 4)
  const later = names.filter((name) => name !== 'audit.jsonl').toSorted()
  return ['audit.jsonl', ...later].map((name) => join(home.folder, name))
}

test('the log goes on in a new file, and is read, proven and verified as one', async () => {
  await using home = await createTestHome()
  const files = await fillFiles(home)
  await using audit = await home.open(SMALL)
  const { ok, records } = await audit.verify()
  assert.deepEqual({ ok, records }, { ok: true, records: 60 })
  const all = await audit.read({ after: 0, limit: 100 })
  assert.deepEqual(
    all.map(({ seq }) => seq),
    Array.from({ length: 60 }, (_, at) => at + 1),
  )
  const lengths = await Promise.all(files.map(async (file) => (await readFile(file)).length))
  assert.ok(Math.max(...lengths) < 2 * SMALL.fileBytes)
  for (let seq = 1; seq <= 60; seq += 1) {
    const proof = await audit.prove(seq)
    assert.deepEqual([proof?.record.seq, proof?.problem], [seq, undefined])
  }
  assert.equal((await audit.search({ text: 'thing-7', limit: 5 })).length, 1)
  const last = await audit.read({ limit: 3 })
  assert.deepEqual(
    last.map(({ seq }) => seq),
    [58, 59, 60],
  )
})

test('a file that is gone, cut, lengthened or exchanged is damage', async () => {
  const harms: readonly ((files: readonly string[]) => Promise<void>)[] = [
    ([, second = '']) => rm(second),
    ([first = '']) => rm(first),
    ([, second = '']) => truncate(second, 500),
    ([, second = '']) => appendFile(second, 'x\n'),
    ([, second = '', third = '']) => rename(third, second),
    async ([, second = '']) => {
      const text = await readFile(second, 'utf8')
      await writeFile(second, text.replace('about thing', 'above thing'))
    },
  ]
  for (const [at, harm] of harms.entries()) {
    await using home = await createTestHome()
    await harm(await fillFiles(home))
    await using audit = await home.open(SMALL)
    assert.equal((await audit.verify()).ok, false, `harm ${at}`)
  }
})

test('a line torn in a later file is cut off there', async () => {
  await using home = await createTestHome()
  const files = await fillFiles(home)
  const last = files.at(-1) ?? ''
  await appendFile(last, '{"seq":61,"at"')
  await using audit = await home.open(SMALL)
  assert.equal(audit.damage, undefined)
  const { ok, records } = await audit.verify()
  assert.deepEqual({ ok, records }, { ok: true, records: 61 })
  const [newest] = await audit.read({ limit: 1 })
  assert.equal(newest?.kind, 'audit.recovered')
})

test('reseal() sets every file of a damaged log aside', async () => {
  await using home = await createTestHome()
  const files = await fillFiles(home)
  await truncate(files[1] ?? '', 100)
  await using audit = await home.open(SMALL)
  await audit.reseal(event('x').principal)
  const { ok, records } = await audit.verify()
  assert.deepEqual({ ok, records }, { ok: true, records: 1 })
  const names = await readdir(home.folder)
  assert.equal(names.filter((name) => name.includes('.damaged')).length, files.length)
  audit.append(event('goes on'))
  assert.equal((await audit.verify()).records, 2)
})
