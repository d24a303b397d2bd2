/** Installs of Python packages that are killed half-way leave nothing, or a whole package. Real sandbox and proxy. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { processesWith } from '../attacks/escape/processes.ts'
import { openPythonIndex } from '../fixtures/python-index.ts'
import { until } from '../fixtures/until.ts'
import { installPython, openPythonHouse } from './python-house.ts'

const index = await openPythonIndex()
after(() => index[Symbol.asyncDispose]())
const PARTS = Array.from({ length: 12 }, (_, at) => `part-${at}`)
for (const name of PARTS) {
  const folder = name.replace('-', '_')
  const files = Array.from({ length: 60 }, (_, at) => [`${folder}/m${at}.py`, `value = ${at}\n`])
  index.add({ name, files: { ...Object.fromEntries(files), [`${folder}/__init__.py`]: '' } })
}
index.add({
  name: 'many-parts',
  files: { 'many_parts.py': 'import part_0\n\ndef main():\n    print("whole")\n' },
  programs: { 'many-parts': 'many_parts:main' },
  requires: PARTS,
})
const child = fileURLToPath(new URL('python-install.child.ts', import.meta.url))
const home = mkdtempSync('/var/tmp/cordon-python-killed-')
after(() => rmSync(home, { recursive: true, force: true }))

/** Kills the install so many milliseconds after it began a step; whether it began it. */
async function killIn(step: string, afterMs: number): Promise<boolean> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const dying = spawn(process.execPath, [child, home, String(index.port)], { stdio: [...stdio] })
  const gone = once(dying, 'exit')
  assert.ok(dying.stdout)
  const begun = Promise.withResolvers<boolean>()
  createInterface({ input: dying.stdout })
    .on('line', (line) => line.startsWith(step) && begun.resolve(true))
    .on('close', () => begun.resolve(false))
  const wasBegun = await begun.promise
  await Promise.race([delay(afterMs), gone])
  dying.kill('SIGKILL')
  await gone
  await until(() => processesWith(home).length === 0) // times out if a program of the install outlives Cordon
  return wasBegun
}

const STEPS = [
  'Looking up many',
  'Looking up what',
  'Installing many',
  'Checking every',
  'Installed',
]

for (const step of STEPS) {
  test(`INSTALL-3: kill -9 of a Python install leaves nothing half-installed: ${step}`, async () => {
    for (let round = 0; round < rounds(8, 2); round += 1) {
      assert.ok(await killIn(step, Math.random() * 300))
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
    const { packages, folder } = await installPython(house, 'many-parts')
    assert.equal(packages, PARTS.length + 1)
    await house.packages.check(folder)
    rmSync(folder, { recursive: true })
  })
}
