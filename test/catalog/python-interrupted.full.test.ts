/** Installs of Python packages that are killed, or run out of disk, leave either nothing or a whole package. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { processesWith } from '../attacks/escape/processes.ts'
import { openPythonIndex } from '../fixtures/python-index.ts'
import { until } from '../fixtures/until.ts'
import { installPython, openPythonHouse } from './python-house.ts'
import { homeOnDisk } from './small-disk.ts'

const index = await openPythonIndex()
after(() => index[Symbol.asyncDispose]())
const MAIN = 'def main():\n    pass\n'
const modules = (name: string) =>
  Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${name}/part_${n}.py`, `x = ${n}\n`]))
const parts = Array.from({ length: 12 }, (_, n) => `dep-${n}`)
for (const name of parts) index.add({ name, files: modules(name.replace('-', '_')) })
const programs = { run: 'many:main' }
index.add({ name: 'many', files: { 'many/__init__.py': MAIN }, programs, requires: parts })

test('INSTALL-3: kill -9 at any moment of a Python install leaves nothing, or a package that can be used', async () => {
  const home = mkdtempSync('/var/tmp/cordon-killed-')
  after(() => rmSync(home, { recursive: true, force: true }))
  const child = fileURLToPath(new URL('install-python.child.ts', import.meta.url))
  for (const afterMs of [400, 700, 1000, 1300, 1600, 2000]) {
    const dying = spawn(process.execPath, [child, home, String(index.port)], { stdio: 'ignore' })
    const gone = once(dying, 'exit')
    await Promise.race([delay(afterMs * (0.8 + Math.random() * 0.4)), gone])
    dying.kill('SIGKILL')
    await gone
    await until(() => processesWith(home).length === 0) // times out if the installer outlives Cordon
    await using house = await openPythonHouse(index, { home })
    const names = house.list()
    assert.ok(
      names.every((name) => name === 'it@1.0'),
      names.join(),
    )
    const [left] = names
    if (left === undefined) continue
    await house.packages.check(path.join(house.root, left))
    rmSync(path.join(house.root, left), { recursive: true })
  }
  await using house = await openPythonHouse(index, { home })
  assert.equal((await installPython(house, 'many')).packages, 13)
})

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
