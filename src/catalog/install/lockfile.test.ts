import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameAt, parseLockfile } from './lockfile.ts'

const hash = `sha512-${'A'.repeat(86)}==`
const lock = (packages: object, lockfileVersion = 3): string =>
  JSON.stringify({ lockfileVersion, packages: { '': {}, ...packages } })

test('parseLockfile() finds the hash of every package and the names with scripts', () => {
  const found = parseLockfile(
    lock({
      'node_modules/a': { integrity: `sha1-xyz ${hash}`, hasInstallScript: true },
      'node_modules/a/node_modules/@b/c': { integrity: hash, hasInstallScript: true },
      'node_modules/@b/c': { integrity: hash, hasInstallScript: true },
    }),
  )
  assert.deepEqual(found.places.length, 3)
  assert.equal(found.integrity.get('node_modules/a'), hash)
  assert.deepEqual(found.scripted, ['@b/c', 'a'])
})

test('parseLockfile() takes a bundled package for covered by the archive it lies in, and only then', () => {
  const bundled = {
    'node_modules/a/node_modules/b': { inBundle: true },
    'node_modules/a/node_modules/b/node_modules/c': { inBundle: true },
  }
  const found = parseLockfile(lock({ 'node_modules/a': { integrity: hash }, ...bundled }))
  assert.equal(found.places.length, 3)
  assert.deepEqual([...found.bundled], Object.keys(bundled))
  assert.throws(
    () => parseLockfile(lock({ 'node_modules/a': {}, ...bundled })),
    /"a" comes without/,
  )
  assert.throws(() => parseLockfile(lock(bundled)), /"b" comes without a SHA-512/)
  assert.throws(() => parseLockfile(lock({ 'node_modules/a': { inBundle: true } })), /"a" comes/)
})

test('parseLockfile() refuses weak hashes, links and other formats', () => {
  const weak = { 'node_modules/a': { integrity: 'sha1-abc' } }
  assert.throws(() => parseLockfile(lock(weak)), { name: 'Unfit', message: /"a" comes without/ })
  const link = { 'node_modules/a': { link: true, integrity: hash } }
  assert.throws(() => parseLockfile(lock(link)), { name: 'Unfit', message: '"a" is a link' })
  for (const text of ['', '{}', '[]', lock({}, 2), lock({ 'node_modules/a': 1 })]) {
    assert.throws(() => parseLockfile(text))
  }
})

test('nameAt() tells which package lies at a place', () => {
  assert.equal(nameAt('node_modules/a/node_modules/@b/c'), '@b/c')
  assert.equal(nameAt('node_modules/a'), 'a')
})
