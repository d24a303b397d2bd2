/** Packages that the installer refuses, and why, against a registry that lies. Real npm, real sandbox, real proxy. */
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
import { HOST, openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
after(() => registry[Symbol.asyncDispose]())
const PROGRAM = { 'run.js': 'console.log("hello")\n' }
const bin = './run.js'
const pinned = registry.add({ name: 'plain', description: { bin }, files: PROGRAM })

const open = (changes: Parameters<typeof openPackageHouse>[1] = {}): Promise<PackageHouse> =>
  openPackageHouse(egressTo(registry.port), { ...STAND_IN, ...changes })

const NATIVE = { 'native-here': '1.0.0', 'native-elsewhere': '1.0.0' }

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

test('an optional dependency that is too young, or nowhere, is left out and the rest installed', async () => {
  registry.add({ name: 'native-here', publishedAt: new Date().toISOString() })
  registry.add({ name: 'parser', description: { optionalDependencies: NATIVE } })
  registry.add({
    name: 'of-parser',
    description: { bin, dependencies: { parser: '1.0.0' } },
    files: PROGRAM,
  })
  await using house = await open()
  const it = await install(house, 'of-parser')
  assert.equal(it.packages, 2)
  assert.ok(!existsSync(path.join(it.folder, 'node_modules/native-here')))
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

test('INSTALL-2: a dependency whose archive is another than the announced one is refused', async () => {
  registry.add({ name: 'swapped-part', dist: { integrity: pinned } })
  const description = { bin, dependencies: { 'swapped-part': '1.0.0' } }
  registry.add({ name: 'on-swapped', description, files: PROGRAM })
  await using house = await open()
  const why = /not what the npm registry announced/
  await refuses(house, install(house, 'on-swapped'), 'catalog.integrity', why)
})

test('INSTALL-1: an archive that npm may not keep is refused, since it cannot be looked through', async (t) => {
  registry.add({ name: 'part', description: { bin }, files: PROGRAM, entries: [{ name: '../up' }] })
  registry.add({
    name: 'on-part',
    description: { bin, dependencies: { part: '1' } },
    files: PROGRAM,
  })
  const plain = registry.answer
  t.after(() => (registry.answer = plain))
  registry.answer = function unkept(request, response) {
    if (request.url?.endsWith('.tgz')) response.setHeader('cache-control', 'no-store')
    registry.answer = plain
    registry.handle(request, response)
    registry.answer = unkept
  }
  await using house = await open()
  const why = /was not kept, so it cannot be looked through/
  await refuses(house, install(house, 'on-part'), 'catalog.unsafe-package', why)
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

test('INSTALL-1: an address that a package writes itself is not asked for, also at the registry', async () => {
  const address = `https://${HOST}/of-the-package`
  const part = { name: 'inner', version: '1.0.0', dependencies: { other: address } }
  const carries = { bin, dependencies: { inner: '1' }, bundleDependencies: ['inner'] }
  const files = { ...PROGRAM, 'node_modules/inner/package.json': JSON.stringify(part) }
  registry.add({ name: 'carries-address', description: carries, files })
  await using house = await open()
  const why = /from outside the npm registry/
  await refuses(house, install(house, 'carries-address'), 'catalog.unsafe-package', why)
  assert.ok(registry.requests.includes('GET /carries-address/-/1.0.0.tgz'))
  assert.ok(!registry.requests.includes('GET /of-the-package'))
})

test('INSTALL-2: what a package carries comes from the announced archive, or not at all', async () => {
  const carries = { bin, dependencies: { inner: '1' }, bundleDependencies: ['inner'] }
  const part = JSON.stringify({ name: 'inner', version: '1.0.0' })
  const files = { ...PROGRAM, 'node_modules/inner/package.json': part }
  const dist = { integrity: pinned }
  registry.add({ name: 'swapped-carrier', description: carries, files, dist })
  const tarball = 'https://evil.example/a.tgz'
  registry.add({ name: 'far-carrier', description: carries, files, dist: { tarball } })
  await using house = await open()
  const swapped = /not what the npm registry announced/
  await refuses(house, install(house, 'swapped-carrier'), 'catalog.integrity', swapped)
  const far = /from outside the npm registry/
  await refuses(house, install(house, 'far-carrier'), 'catalog.unsafe-package', far)
})

test('INSTALL-1: an archive with an entry that leads elsewhere is refused, not moved', async () => {
  registry.add({
    name: 'climbing',
    description: { bin },
    files: PROGRAM,
    entries: [{ name: 'package/../../up.txt' }],
  })
  await using house = await open()
  const why = /"package\/\.\.\/\.\.\/up\.txt" in an archive of it leads elsewhere/
  await refuses(house, install(house, 'climbing'), 'catalog.unsafe-package', why)
})

test('INSTALL-1: such an entry in a dependency refuses the package, and says in which one', async () => {
  registry.add({ name: 'deep', files: PROGRAM, entries: [{ name: '../up.txt' }] })
  const description = { bin, dependencies: { deep: '1.0.0' } }
  registry.add({ name: 'shallow', description, files: PROGRAM })
  await using house = await open()
  await refuses(house, install(house, 'shallow'), 'catalog.unsafe-package', /\("deep"\)/)
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
