/** Installs of Python packages that run out of disk are refused in one sentence, and leave nothing. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { openPythonIndex } from '../fixtures/python-index.ts'
import { installPython, openPythonHouse } from './python-house.ts'
import { homeOnDisk } from './small-disk.ts'

const index = await openPythonIndex()
after(() => index[Symbol.asyncDispose]())
const MAIN = 'def main():\n    pass\n'

async function refusedOnFullDisk(t: TestContext, name: string): Promise<void> {
  const { home, isOwn } = homeOnDisk(3)
  if (!isOwn) return t.skip('mounting a small disk is not permitted')
  mkdirSync(path.join(home, 'packages'), { mode: 0o700 })
  await using house = await openPythonHouse(index, { home })
  await assert.rejects(installPython(house, name), {
    code: 'catalog.disk-full',
    message: `Cannot install "${name} 1.0": the disk is full`,
  })
  assert.deepEqual(house.list(), [])
}

test('INSTALL-3: a disk that is full while a wheel is fetched is one sentence, and leaves nothing', async (t) => {
  const files = { 'large/__init__.py': MAIN, 'large/noise.bin': randomBytes(8 * 2 ** 20) }
  index.add({ name: 'large', files, programs: { run: 'large:main' } })
  await refusedOnFullDisk(t, 'large')
})

test('INSTALL-3: a disk that is full while a wheel is unpacked is one sentence, and leaves nothing', async (t) => {
  const files = { 'wide/__init__.py': MAIN, 'wide/zeros.bin': Buffer.alloc(8 * 2 ** 20) }
  index.add({ name: 'wide', files, programs: { run: 'wide:main' } })
  await refusedOnFullDisk(t, 'wide')
})
