/** A disk that is full while a fact is kept. Needs root to mount. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { bare, factOf, openMemoryHouse } from './memory-house.ts'

const disk = mkdtempSync(path.join(tmpdir(), 'cordon-disk-'))
const mounting = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], {
  encoding: 'utf8',
})
const skip =
  mounting.status === 0 ? false : `mounting a small disk is not permitted: ${mounting.stderr}`

after(() => {
  if (!skip) execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

test('MEMORY-3: a fact that finds the disk full is refused, and the facts before it are whole', {
  skip,
}, async () => {
  const filler = path.join(disk, 'filler')
  {
    await using house = await openMemoryHouse(disk)
    await house.memory.remember(factOf('my dentist is Dr. Adeyemi'))
    assert.throws(() => {
      for (;;) writeFileSync(filler, Buffer.alloc(4096), { flag: 'a' })
    }, /ENOSPC/)
    await assert.rejects(house.memory.remember(factOf(`my doctor is ${'Dr. Osei '.repeat(20)}`)), {
      code: 'store.full',
      message: /the disk is full$/,
    })
    rmSync(filler)
  }
  await using again = await openMemoryHouse(disk)
  assert.deepEqual(
    (await again.memory.facts()).map(({ text }) => bare(text)),
    ['my dentist is Dr. Adeyemi'],
  )
  await again.memory.remember(factOf('my doctor is Dr. Osei'))
})
