/** Refusals of hostile Python packages: nothing is written, run, reached or left behind. For tests. */
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { after } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import type { Egress } from '../../src/ports/egress-port.ts'
import { openPythonIndex, type PythonIndexServer } from '../fixtures/python-index.ts'
import type { WheelSpec } from '../fixtures/wheel.ts'
import { egressTo, type PackageHouse } from './package-house.ts'
import { installPython, openPythonHouse } from './python-house.ts'

export const index: PythonIndexServer = await openPythonIndex()
const resolved: string[] = []
export const egress: Egress = egressTo(index.port, {
  resolve: async (host) => {
    resolved.push(host)
    return ['127.0.0.1']
  },
})
export const house: PackageHouse = await openPythonHouse(index, { egress, silenceMs: 1500 })
after(async () => {
  await house[Symbol.asyncDispose]()
  await index[Symbol.asyncDispose]()
  for (const mark of MARKS) rmSync(mark, { force: true })
})

/** Would exist if a file were written there, or if code ran outside of a sandbox. */
export const MARKS: readonly string[] = [
  '/tmp/cordon-python-mark',
  '/var/tmp/cordon-python-mark',
  '/tmp/evil.py',
  '/evil.py',
]
export const RUNS: string = `open('/tmp/cordon-python-mark', 'w')\nopen('/var/tmp/cordon-python-mark', 'w')\n`
export const GOOD = { 'good/__init__.py': 'def main():\n    print("fine")\n' }
const PROGRAM = { run: 'good:main' }

let count = 0
/** A new package with these changes; its name. */
export function add(
  spec: Partial<WheelSpec>,
  changes: Parameters<typeof index.add>[1] = {},
): string {
  count += 1
  const name = spec.name ?? `odd-${count}`
  const file = `${name.replaceAll('-', '_')}-1.0-py3-none-any.whl`
  const place = changes.url === undefined ? {} : { url: `${changes.url}${file}` }
  index.add({ files: GOOD, programs: PROGRAM, ...spec, name }, { ...changes, ...place })
  return name
}

export async function refused(name: string, why: RegExp): Promise<void> {
  const installing = installPython(house, name)
  // A package that was installed after all is taken away, so that only its own test fails.
  await installing.then(() => house.packages.remove('it@1.0')).catch(() => undefined)
  await assert.rejects(installing, (error: unknown) => {
    assert.ok(error instanceof CordonError, String(error))
    assert.match(error.message, why)
    assert.match(error.code, /^catalog\./)
    assert.doesNotMatch(error.message, /\n|Error:|\.ts:/)
    return true
  })
  assert.deepEqual(house.list(), [])
  for (const mark of MARKS) assert.ok(!existsSync(mark), mark)
  assert.deepEqual(
    [...new Set(resolved)].filter((host) => host !== 'allowed.example'),
    [],
  )
}
