/** A real package, installed from the registry that this machine uses, through the sandbox and the proxy, then run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, never, openHouse } from '../servers/runtime/direct-sandbox.ts'
import { egressToRegistry, openPackageHouse, OWN_NPM } from './package-house.ts'

const launch = {
  kind: 'npm',
  package: '@modelcontextprotocol/server-memory',
  version: '2026.8.31',
  integrity:
    'sha512-ljj/3S4aGjxdNSQWw6gucKKGnTLdBPWxzapyY/MT2tOVyZwvxChvevXSLPwx59nKJAlVpUVW+cOlnVRXRwiqMQ==',
  args: [],
} as const

test('a real package is installed in the sandbox, found again offline, and runs', async () => {
  await using house = await openPackageHouse(egressToRegistry(), OWN_NPM)
  const { packages, sandbox } = house
  const it = await packages.install('memory', launch, () => undefined, never)
  assert.equal(it.integrity, launch.integrity)
  assert.ok(it.packages > 50 && it.bytes > 2 ** 20)
  assert.match(it.publishedAt ?? '', /^2026-/)
  assert.deepEqual(it.refusedScripts, [])
  assert.deepEqual(await packages.install('memory', launch, () => undefined, never), it)

  const plain = define('it', 'none')
  const definition = { ...plain, command: 'node', args: [it.entry] }
  await using running = await openHouse([definition], { sandbox, timings: { startMs: 300_000 } })
  const state = await running.servers.start(definition.id, never)
  assert.equal(state.badge, 'connected')
  assert.equal(state.tools, 9)
})

test('a name that nobody has is told in one sentence', async () => {
  await using house = await openPackageHouse(egressToRegistry(), OWN_NPM)
  const nobody = { ...launch, package: '@modelcontextprotocol/server-nobody-has-this' }
  const installing = house.packages.install('it', nobody, () => undefined, never)
  await assert.rejects(installing, { code: 'catalog.no-such-package' })
  assert.deepEqual(house.list(), [])
})
