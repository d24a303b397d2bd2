/** Newer and withdrawn versions of packages in use, asked of a registry of the test through a real sandbox. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isNewer } from '../../src/catalog/install/look-up-news.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import { egressTo, openPackageHouse, STAND_IN } from './package-house.ts'
import { openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
const house = await openPackageHouse(egressTo(registry.port), STAND_IN)
after(async () => {
  await house[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
})
registry.add({ name: 'acme', version: '1.0.0', description: { deprecated: 'Do not\u001b use' } })
registry.add({ name: 'acme', version: '2.0.0' })
const news = (version: string) =>
  house.packages.news({ server: parseServerId('acme'), kind: 'npm', name: 'acme', version }, never)

test('the registry tells of a newer version, of a warning, and of a version that is gone', async () => {
  assert.deepEqual(await news('2.0.0'), {})
  assert.deepEqual(await news('1.0.0'), { newer: '2.0.0', withdrawn: 'Do not\u001b use' })
  const gone = { newer: '2.0.0', withdrawn: 'the registry no longer has it' }
  assert.deepEqual(await news('1.9.9'), gone)
  assert.deepEqual(house.list(), [], 'nothing is installed')
})

test('a version is newer by its numbers, and after its own pre-release', () => {
  for (const [version, than, expected] of [
    ['1.10.0', '1.9.0', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.0-rc.1', true],
    ['1.0.0-rc.1', '1.0.0', false],
    ['0.9.0', '1.0.0', false],
    ['latest', '1.0.0', false],
  ] as const) {
    assert.equal(isNewer(version, than), expected, `${version} ${than}`)
  }
})
