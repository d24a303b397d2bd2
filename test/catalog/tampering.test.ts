/** Any change to an installed package is found before the package is used, however well the change is hidden. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { egressTo, openPackageHouse, STAND_IN } from './package-house.ts'
import { openStandInRegistry } from './stand-in-registry.ts'
import { never } from '../../src/kernel/test-never.ts'

const registry = await openStandInRegistry()
registry.add({
  name: 'one',
  description: { bin: 'run.js' },
  files: { 'run.js': 'good()\n', 'b.js': '' },
})
const house = await openPackageHouse(egressTo(registry.port), STAND_IN)
after(async () => {
  await house[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
})
const launch = { kind: 'npm', package: 'one', version: '1.0.0', args: [] } as const
const pristine = path.join(house.root, 'it@1.0.0')
await house.packages.install('it', launch, () => undefined, never)

const attacks: Readonly<Record<string, readonly [(folder: string) => void, RegExp]>> = {
  'a file rewritten with its old size and time': [
    (folder) => {
      const file = path.join(folder, 'node_modules/one/run.js')
      const { atime, mtime } = statSync(file)
      writeFileSync(file, 'evil()\n')
      utimesSync(file, atime, mtime)
    },
    /"node_modules\/one\/run.js" was changed$/,
  ],
  'a file replaced by another': [
    (folder) => {
      writeFileSync(path.join(folder, 'new'), 'evil()\n')
      renameSync(path.join(folder, 'new'), path.join(folder, 'node_modules/one/run.js'))
    },
    /was changed$/,
  ],
  'a file added deep inside': [
    (folder) => writeFileSync(path.join(folder, 'node_modules/one/c.js'), ''),
    /"node_modules\/one\/c.js" was added$/,
  ],
  'a folder added at the top': [
    (folder) => mkdirSync(path.join(folder, 'node_modules.evil')),
    /"node_modules.evil\/" was added$/,
  ],
  'a file removed': [
    (folder) => rmSync(path.join(folder, 'node_modules/one/b.js')),
    /"node_modules\/one\/b.js" was removed$/,
  ],
  'a file made writable for all': [
    (folder) => chmodSync(path.join(folder, 'node_modules/one/run.js'), 0o666),
    /permissions of "node_modules\/one\/run.js" were changed$/,
  ],
  'a folder replaced by a link': [
    (folder) => {
      const inside = path.join(folder, 'node_modules/one')
      renameSync(inside, path.join(house.home, `moved-${Date.now()}`))
      symlinkSync('/tmp', inside)
    },
    /it cannot be read$/,
  ],
  'the manifest changed': [
    (folder) => appendFileSync(path.join(folder, 'manifest.json'), ' '),
    /records are missing or damaged$/,
  ],
  'the receipt removed': [
    (folder) => rmSync(path.join(folder, 'cordon.json')),
    /records are missing or damaged$/,
  ],
}

let copies = 0
function copy(): string {
  const folder = path.join(house.root, `it@1.0.${++copies}`)
  execFileSync('cp', ['-a', pristine, folder])
  return folder
}

test('check() is content with what was installed, also after a move or a restored backup', async () => {
  const restored = copy()
  for (const folder of [pristine, restored, restored]) {
    await assert.doesNotReject(house.packages.check(folder), folder)
  }
})

for (const [what, [attack, message]] of Object.entries(attacks)) {
  test(`INSTALL-4: check() finds ${what}`, async () => {
    const folder = copy()
    await house.packages.check(folder)
    attack(folder)
    const refused = { code: 'catalog.tampered', exit: 3, message }
    await assert.rejects(house.packages.check(folder), refused)
    await assert.rejects(house.packages.check(folder), refused)
  })
}

test('a package that was tampered with is neither used nor mended', async () => {
  const folder = path.join(house.root, 'other@1.0.0')
  execFileSync('cp', ['-a', pristine, folder])
  writeFileSync(path.join(folder, 'node_modules/one/run.js'), 'evil()\n')
  const installing = house.packages.install('other', launch, () => undefined, never)
  await assert.rejects(installing, {
    code: 'catalog.tampered',
    hint: /^Run `rm -r '.*other@1\.0\.0'`/,
  })
  assert.equal(readFileSync(path.join(folder, 'node_modules/one/run.js'), 'utf8'), 'evil()\n')
  assert.partialDeepStrictEqual(house.events.at(-1), {
    kind: 'catalog.tampered',
    subject: 'other@1.0.0',
  })
})

test('the facts that were written down at the install tell of a change too', async () => {
  const file = path.join(pristine, 'node_modules/one/run.js')
  const { atime, mtime } = statSync(file)
  writeFileSync(file, 'evil()\n')
  utimesSync(file, atime, mtime)
  await assert.rejects(house.packages.check(pristine), { code: 'catalog.tampered' })
  writeFileSync(file, 'good()\n')
  await house.packages.check(pristine)
})

test('check() looks at packages and at nothing else', async () => {
  for (const wrong of [house.root, house.home, '/etc', `${house.root}/../x`, `${house.root}/a/b`]) {
    const checked = Promise.resolve().then(() => house.packages.check(wrong))
    await assert.rejects(checked, { code: 'catalog.not-installed' })
  }
})

test('a receipt of an earlier Cordon, which says more than is read today, is one', async () => {
  const file = path.join(copy(), 'cordon.json')
  const receipt = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...receipt, provenance: 'absent' }))
  await house.packages.check(path.dirname(file))
})
