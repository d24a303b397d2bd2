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
import { never } from '../../src/kernel/test-never.ts'

const registry = await openStandInRegistry()
after(() => registry[Symbol.asyncDispose]())
const PROGRAM = { 'run.js': 'console.log("hello")\n' }
const bin = './run.js'
const pinned = registry.add({
  name: 'plain',
  description: { bin },
  files: PROGRAM,
  publisher: 'ann',
  dist: { attestations: { url: 'https://example.test/', provenance: { predicateType: 'x' } } },
})

const open = (changes: Parameters<typeof openPackageHouse>[1] = {}): Promise<PackageHouse> =>
  openPackageHouse(egressTo(registry.port), { ...STAND_IN, ...changes })

test('install() leaves a folder with what was asked for, and says what is in it', async () => {
  await using house = await open()
  const steps: string[] = []
  const launch = {
    kind: 'npm',
    package: 'plain',
    version: '1.0.0',
    integrity: pinned,
    args: [],
  } as const
  const it = await house.packages.install('it', launch, (step) => steps.push(step), never)
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
    packages: 1,
    refusedScripts: [],
  })
  assert.ok(it.bytes > 100 && it.bytes < 5000)
  assert.equal(steps.length, 3)
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

test('dependencies are installed in the newest version that is some days old', async () => {
  const files = { 'run.js': '' }
  registry.add({ name: 'dep', version: '1.0.0' })
  registry.add({ name: 'dep', version: '1.0.1', publishedAt: new Date().toISOString() })
  registry.add({ name: 'patient', description: { bin, dependencies: { dep: '^1.0.0' } }, files })
  registry.add({ name: 'hasty', description: { bin, dependencies: { dep: '1.0.1' } }, files })
  await using house = await open()
  await refuses(house, install(house, 'hasty'), 'catalog.bad-package', /published in the last days/)
  const { folder } = await install(house, 'patient')
  const taken = readFileSync(path.join(folder, 'node_modules/dep/package.json'), 'utf8')
  assert.match(taken, /"version":"1\.0\.0"/)
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

test('INSTALL-2: an archive other than the announced one is refused', async () => {
  registry.add({
    name: 'swapped',
    description: { bin },
    files: PROGRAM,
    dist: { integrity: pinned },
  })
  await using house = await open()
  await refuses(
    house,
    install(house, 'swapped'),
    'catalog.integrity',
    /not what the npm registry announced/,
  )
})

test('INSTALL-2: a package without a SHA-512 is refused', async () => {
  registry.add({
    name: 'weak',
    description: { bin },
    files: PROGRAM,
    dist: { integrity: undefined, shasum: undefined },
  })
  registry.add({
    name: 'on-weak',
    description: { bin, dependencies: { weak: '1' } },
    files: PROGRAM,
  })
  await using house = await open()
  await refuses(
    house,
    install(house, 'on-weak'),
    'catalog.integrity',
    /"weak" comes without a SHA-512/,
  )
})

test('a package or a version that does not exist is told as such', async () => {
  await using house = await open()
  await refuses(house, install(house, 'nobody'), 'catalog.no-such-package', /has no such package/)
  const never = install(house, 'plain', { version: '9.9.9' })
  await refuses(house, never, 'catalog.no-such-package', /has no such package or version/)
})

test('names and versions that are something else never reach npm', async () => {
  await using house = await open({ sandbox: { launch: () => assert.fail('started') } })
  for (const name of [
    '--help',
    '../x',
    'a b',
    'https://x.example/a.tgz',
    'git+ssh://x',
    '.hidden',
  ]) {
    await refuses(
      house,
      install(house, name),
      'catalog.bad-package',
      /not the name of an npm package/,
    )
  }
  for (const version of ['../..', '1.0.0/../..', '--registry=x', '', '>=1 <2 || 3']) {
    const wrong = install(house, 'plain', { version })
    await refuses(house, wrong, 'catalog.bad-package', /neither a version nor a tag/)
  }
})

test('a tag becomes the version it stands for, which is pinned from then on', async () => {
  await using house = await open()
  for (const version of ['latest', '^1.0.0']) {
    const it = await install(house, 'plain', { version })
    assert.equal(it.version, '1.0.0')
    assert.match(it.folder, /it@1\.0\.0$/)
  }
  const none = install(house, 'plain', { version: 'nightly' })
  await assert.rejects(none, { code: 'catalog.no-such-package' })
})

test('INSTALL-1: a dependency from git, a link or another host is refused', async () => {
  const elsewhere = {
    git: 'git+https://evil.example/a.git',
    link: 'https://evil.example/a.tgz',
    file: 'file:../../../../etc',
  }
  for (const [name, from] of Object.entries(elsewhere)) {
    registry.add({ name, description: { bin, dependencies: { a: from } }, files: PROGRAM })
    await using house = await open()
    await refuses(
      house,
      install(house, name),
      'catalog.unsafe-package',
      /from outside the npm registry/,
    )
  }
  const tarball = 'https://evil.example/a.tgz'
  registry.add({ name: 'cdn', description: { bin }, files: PROGRAM, dist: { tarball } })
  await using house = await open()
  await refuses(
    house,
    install(house, 'cdn'),
    'catalog.unsafe-package',
    /from outside the npm registry/,
  )
})

test('a package without a program, or with one outside of it, is refused', async () => {
  registry.add({ name: 'library' })
  registry.add({ name: 'outside', description: { bin: '../plain/run.js' }, files: PROGRAM })
  registry.add({
    name: 'several',
    description: { bin: { a: 'run.js', b: 'package.json' } },
    files: PROGRAM,
  })
  await using house = await open()
  await refuses(house, install(house, 'library'), 'catalog.bad-package', /it has no program$/)
  await refuses(house, install(house, 'outside'), 'catalog.bad-package', /its program/)
  await refuses(
    house,
    install(house, 'several'),
    'catalog.bad-package',
    /several programs: \["a","b"\]$/,
  )
  assert.match((await install(house, 'several', { bin: 'a' })).entry, /several\/run\.js$/)
})
