/** A disk that fills up during a run: no call is made that could not be recorded first, and no step is lost. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { addEffect, never, openEngineHouse, startOf, untilOver } from './engine-house.ts'

/** Appends to the file until not one more byte fits on the disk. */
function fill(file: string): void {
  for (let bytes = 32 * 2 ** 20; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
}

test('a run whose disk is full waits, calls nothing, and goes on when there is room', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-engine-disk-'))
  const disk = mkdtempSync(path.join(tmpdir(), 'cordon-small-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk])
  t.after(() => {
    if (mounted.status === 0) execFileSync('umount', [disk])
    for (const one of [folder, disk]) rmSync(one, { recursive: true })
  })
  if (mounted.status !== 0) return t.skip('mounting a small disk is not permitted')
  const filler = path.join(disk, 'filler')
  let rounds = 0
  await using house = await openEngineHouse({
    folder,
    rooms: { runsPath: path.join(disk, 'runs.db') },
    tools: [
      {
        name: 'fill',
        effect: 'remote-read',
        run() {
          rounds += 1
          if (rounds === 1) fill(filler)
          return { text: 'x'.repeat(3_000_000) }
        },
      },
      {
        name: 'note',
        effect: 'write',
        args: { text: 'content' },
        run() {
          addEffect(folder, 'note')
          return null
        },
      },
    ],
  })
  const nodes = [
    { id: 'fill', type: 'box.fill' },
    { id: 'note', type: 'box.note', params: { text: '${fill.text}' } },
  ]
  await house.flows.start(startOf('r', { nodes }), never)
  const isFull = (line: string): boolean => line.includes('disk') && line.includes('full')
  while (!house.said.some(isFull)) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual(house.effects(), [])
  assert.equal((await house.flows.show('r')).state, 'running')
  await assert.rejects(house.flows.start(startOf('s', { nodes }), never), {
    code: 'flows.disk-full',
  })
  rmSync(filler)
  const { state } = await untilOver(house.flows, 'r')
  assert.equal(state, 'completed')
  assert.deepEqual(house.effects(), ['note'])
})
