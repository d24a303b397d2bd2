/** Interrupted installs (given up, killed, out of disk) leave either nothing or a whole package. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { InstalledPackage } from '../../src/ports/catalog-port.ts'
import { never } from '../../src/kernel/test-never.ts'
import { processesWith } from '../attacks/escape/processes.ts'
import { until } from '../fixtures/until.ts'
import { egressTo, openPackageHouse, type PackageHouse, STAND_IN } from './package-house.ts'
import { homeOnDisk } from './small-disk.ts'
import { openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
after(() => registry[Symbol.asyncDispose]())
const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`lib/${n}.js`, `// ${n}\n`]))
const dependencies = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`dep-${n}`, '1.0.0']))
for (const name of Object.keys(dependencies)) registry.add({ name, files })
const description = { bin: 'run.js', dependencies }
registry.add({ name: 'many', description, files: { 'run.js': '' } })

const open = (home?: string): Promise<PackageHouse> =>
  openPackageHouse(egressTo(registry.port), { ...STAND_IN, ...(home !== undefined && { home }) })
const launch = { kind: 'npm', package: 'many', version: '1.0.0', args: [] } as const
const install = (
  { packages }: PackageHouse,
  signal: AbortSignal,
  progress: (step: string) => void = () => undefined,
): Promise<InstalledPackage> => packages.install('it', launch, progress, signal)

test('INSTALL-3: giving up ends npm at once and leaves nothing', async () => {
  await using house = await open()
  for (const step of ['Looking', 'Installing', 'Checking']) {
    const control = new AbortController()
    const giveUp = (said: string) => {
      if (!said.startsWith(step)) return
      const end = () => control.abort(new Error('given up'))
      if (step === 'Checking') end()
      else setTimeout(end, 50)
    }
    await assert.rejects(install(house, control.signal, giveUp), /given up/)
    assert.deepEqual(house.list(), [], step)
    assert.deepEqual(processesWith(house.home), [])
  }
})

test('two who want the same get one install, and one of them may leave', async () => {
  await using house = await open()
  const before = registry.requests.length
  const control = new AbortController()
  const leaving = install(house, control.signal)
  const staying = [install(house, never), install(house, never)]
  const left = assert.rejects(leaving, /no patience/)
  control.abort(new Error('no patience'))
  await left
  const [one, other] = await Promise.all(staying)
  assert.deepEqual(one, other)
  const archives = registry.requests
    .slice(before)
    .filter((line) => line === 'GET /many/-/1.0.0.tgz')
  assert.equal(archives.length, 1)
  assert.deepEqual(house.list(), ['it@1.0.0'])
})

test('INSTALL-3: kill -9 at any moment leaves nothing, or a package that can be used', async () => {
  const home = mkdtempSync('/var/tmp/cordon-killed-')
  after(() => rmSync(home, { recursive: true, force: true }))
  const child = fileURLToPath(new URL('install.child.ts', import.meta.url))
  for (const afterMs of [400, 700, 1000, 1300, 1600, 2000]) {
    const dying = spawn(process.execPath, [child, home, String(registry.port)], { stdio: 'ignore' })
    const gone = once(dying, 'exit')
    await Promise.race([delay(afterMs * (0.8 + Math.random() * 0.4)), gone])
    dying.kill('SIGKILL')
    await gone
    await until(() => processesWith(home).length === 0) // times out if npm outlives Cordon
    await using house = await open(home)
    const names = house.list()
    assert.ok(
      names.every((name) => name === 'it@1.0.0'),
      names.join(),
    )
    const [left] = names
    if (left === undefined) continue
    await house.packages.check(path.join(house.root, left))
    rmSync(path.join(house.root, left), { recursive: true })
  }
  await using house = await open(home)
  assert.equal((await install(house, never)).packages, 13)
})

test('a package that is too large, or takes too long, is ended for it', async () => {
  const limited = (limits: object) =>
    openPackageHouse(egressTo(registry.port), {
      ...STAND_IN,
      home: homeOnDisk(100).home,
      limits: { lookEveryMs: 20, ...limits },
    })
  const noise = 'abcdefgh'.repeat(2 ** 20)
  registry.add({ name: 'fat', description: { bin: 'run.js' }, files: { 'run.js': noise } })
  const fat = { ...launch, package: 'fat' }
  await using small = await limited({ bytes: 2 ** 20 })
  const growing = small.packages.install('it', fat, () => undefined, never)
  await assert.rejects(growing, { code: 'catalog.unsafe-package', message: /larger than/ })
  assert.deepEqual(small.list(), [])
  await using hasty = await limited({ ms: 700 })
  registry.answer = () => undefined
  after(() => (registry.answer = undefined))
  const waiting = hasty.packages.install('it', fat, () => undefined, never)
  await assert.rejects(waiting, { code: 'catalog.registry-unreachable', message: /took longer/ })
  registry.answer = undefined
  assert.deepEqual(hasty.list(), [])
  assert.deepEqual(processesWith(hasty.home), [])
})

test('INSTALL-3: a full disk is one sentence, and leaves nothing', async (t) => {
  const { home, isOwn } = homeOnDisk(3)
  if (!isOwn) return t.skip('mounting a small disk is not permitted')
  mkdirSync(path.join(home, 'packages'), { mode: 0o700 })
  const noise = Array.from({ length: 400_000 }, () => Math.random().toString(36).slice(2)).join('')
  registry.add({ name: 'large', description: { bin: 'run.js' }, files: { 'run.js': noise } })
  await using house = await open(home)
  const large = { ...launch, package: 'large' }
  const installing = house.packages.install('it', large, () => undefined, never)
  await assert.rejects(installing, {
    code: 'catalog.disk-full',
    message: 'Cannot install "large@1.0.0": the disk is full',
  })
  assert.deepEqual(house.list(), [])
})
