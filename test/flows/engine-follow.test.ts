/** Who follows a run to its end is there when it comes, also where nothing else keeps his process. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newPlace } from './engine-tools.ts'

test('a process that follows a run does not end while the run waits', async () => {
  const child = path.join(import.meta.dirname, 'engine-follow.child.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [child, newPlace()])
  assert.equal(stdout, 'completed')
})
