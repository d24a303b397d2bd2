import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { noteShownPlaces, type ShownPlaces } from './shown-places.ts'

const shown = (place: string): Promise<ShownPlaces> =>
  noteShownPlaces({
    command: 'node',
    sandbox: {
      mode: 'bwrap',
      memoryLimitBytes: 1,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [place],
      writePaths: [],
    },
  })

suite('places that a server was shown', () => {
  test('a folder on disk that is removed or replaced is lost, and the look does not wait', async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cordon-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const [notes, other] = ['notes', 'other'].map((name) => path.join(folder, name)) as [
      string,
      string,
    ]
    mkdirSync(notes)
    mkdirSync(other)
    const places = await shown(notes)
    assert.equal(places.areLost(), false)
    rmSync(notes, { recursive: true })
    assert.equal(places.areLost(), false, 'calls of the same turn share one look')
    await nextTurn()
    assert.equal(places.areLost(), true)
    renameSync(other, notes)
    await nextTurn()
    assert.equal(places.areLost(), true)
  })

  test('a place on another kind of file system is looked at without holding up the process', async () => {
    const child = spawn('sleep', ['60'])
    await once(child, 'spawn')
    const places = await shown(`/proc/${child.pid}`)
    const before = places.areLost()
    assert.ok(before instanceof Promise)
    assert.equal(await before, false)
    child.kill()
    await once(child, 'exit')
    assert.equal(await places.areLost(), true)
  })
})
