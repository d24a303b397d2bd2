/** Verified installs against a registry that also lies and attacks. Real npm, real sandbox, real proxy. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import {
  egressTo,
  installFrom as install,
  openPackageHouse,
  type PackageHouse,
  refuses,
  STAND_IN,
} from './package-house.ts'
import { openStandInRegistry } from './stand-in-registry.ts'
import type { InstallProgress } from '../../src/ports/catalog-port.ts'
import { never } from '../../src/kernel/test-never.ts'

const registry = await openStandInRegistry()
after(() => registry[Symbol.asyncDispose]())
const PROGRAM = { 'run.js': 'console.log("hello")\n' }
const bin = './run.js'
const pinned = registry.add({
  name: 'plain',
  description: { bin, mcpName: 'io.example/plain', deprecated: 'use another' },
  files: PROGRAM,
  publisher: 'ann',
  dist: { attestations: { url: 'https://example.test/', provenance: { predicateType: 'x' } } },
})

const open = (changes: Parameters<typeof openPackageHouse>[1] = {}): Promise<PackageHouse> =>
  openPackageHouse(egressTo(registry.port), { ...STAND_IN, ...changes })

test('install() leaves a folder with what was asked for, and says what is in it', async () => {
  await using house = await open()
  const steps: string[] = []
  const tell: InstallProgress = (...step) => steps.push(step.join(' | '))
  const launch = {
    kind: 'npm',
    package: 'plain',
    version: '1.0.0',
    integrity: pinned,
    args: [],
  } as const
  const it = await house.packages.install('it', launch, tell, never)
  assert.deepEqual(house.list(), ['it@1.0.0'])
  assert.equal(it.entry, path.join(house.root, 'it@1.0.0/node_modules/plain/run.js'))
  assert.equal(readFileSync(it.entry, 'utf8'), PROGRAM['run.js'])
  assert.partialDeepStrictEqual(it, {
    package: 'plain',
    version: '1.0.0',
    integrity: pinned,
    publisher: 'ann',
    publishedAt: '2026-01-02T03:04:05.000Z',
    hasProvenance: true,
    deprecated: 'use another',
    mcpName: 'io.example/plain',
    packages: 1,
    refusedScripts: [],
  })
  assert.ok(it.bytes > 100 && it.bytes < 5000)
  const names = [...new Set(steps.map((step) => step.replace(/ \|.*/, '')))]
  assert.deepEqual(names, [
    'Looking up plain@1.0.0',
    'Looking up what plain@1.0.0 needs',
    'Installing plain@1.0.0 in a sandbox',
    'Checking every file of plain@1.0.0',
  ])
  assert.ok(steps.some((step) => / in a sandbox \| 1 of 1 package, \d+\.\d MB$/.test(step)))
  const [event] = house.events
  assert.partialDeepStrictEqual(event, { kind: 'catalog.installed', subject: 'it@1.0.0' })
  assert.match(JSON.stringify(event), /"manifest":"sha512-/)
  await house.packages.check(it.folder)
})

test('an installed package is used again without npm, network or sandbox', async () => {
  await using house = await open()
  const first = await install(house, 'plain')
  const none = { launch: () => Promise.reject(new Error('started a process')) }
  await using later = await open({ home: house.home, sandbox: none })
  const before = registry.requests.length
  assert.deepEqual(await install(later, 'plain'), first)
  assert.equal(registry.requests.length, before)
})

test('one name holds one package: another of the same version is refused', async () => {
  registry.add({ name: 'second', description: { bin }, files: PROGRAM })
  await using house = await open()
  await install(house, 'plain')
  await assert.rejects(install(house, 'second'), {
    code: 'catalog.name-taken',
    message: 'Cannot install "second@1.0.0": "plain" is installed under that name',
  })
})

test('INSTALL-1: install scripts are not run, and are named', async () => {
  const postinstall = "node -e \"require('fs').writeFileSync('ran', '')\""
  registry.add({ name: 'scripted', description: { bin, scripts: { postinstall } }, files: PROGRAM })
  registry.add({
    name: 'outer',
    description: { bin, dependencies: { scripted: '1' } },
    files: PROGRAM,
  })
  await using house = await open()
  const it = await install(house, 'outer')
  assert.deepEqual(it.refusedScripts, ['scripted'])
  assert.equal(it.packages, 2)
  assert.ok(existsSync(path.join(it.folder, 'node_modules/scripted/run.js')))
  assert.ok(!existsSync(path.join(it.folder, 'node_modules/scripted/ran')))
})

test('INSTALL-1: a package that carries others in its archive is installed from it, their scripts not run', async () => {
  const postinstall = "node -e \"require('fs').writeFileSync('ran', '')\""
  const part = { name: 'inner', version: '2.0.0', scripts: { postinstall } }
  const carried = { 'node_modules/inner/package.json': JSON.stringify(part) }
  const carries = { dependencies: { inner: '2' }, bundleDependencies: ['inner'] }
  registry.add({ name: 'carrier', description: carries, files: carried })
  const description = { bin, dependencies: { carrier: '1' } }
  registry.add({ name: 'on-carrier', description, files: PROGRAM })
  await using house = await open()
  const before = registry.requests.length
  const it = await install(house, 'on-carrier')
  assert.equal(it.packages, 3)
  assert.deepEqual(it.refusedScripts, ['inner'])
  const inner = path.join(it.folder, 'node_modules/carrier/node_modules/inner')
  assert.equal(readFileSync(`${inner}/package.json`, 'utf8'), JSON.stringify(part))
  assert.ok(!existsSync(`${inner}/ran`))
  assert.ok(!registry.requests.slice(before).includes('GET /inner'))
  await house.packages.check(it.folder)
})

test('INSTALL-2: an archive other than the pinned one is refused', async () => {
  await using house = await open()
  const integrity = `sha512-${'A'.repeat(86)}==`
  await refuses(
    house,
    install(house, 'plain', { integrity }),
    'catalog.integrity',
    /^Cannot install "plain@1.0.0": the npm registry has another archive than the pinned one$/,
  )
})
