/** A real package, installed from the registry that this machine uses, through the sandbox and the proxy, then run. */
import assert from 'node:assert/strict'
import { homedir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { define, never, openHouse } from '../servers/runtime/direct-sandbox.ts'
import { egressToRegistry, openPackageHouse } from './package-house.ts'

const launch = {
  kind: 'npm',
  package: '@modelcontextprotocol/server-memory',
  version: '2026.8.31',
  integrity:
    'sha512-ljj/3S4aGjxdNSQWw6gucKKGnTLdBPWxzapyY/MT2tOVyZwvxChvevXSLPwx59nKJAlVpUVW+cOlnVRXRwiqMQ==',
  args: [],
} as const

test('a real package is installed in the sandbox, found again offline, and runs', async () => {
  const extraAuthorities = process.env['NODE_EXTRA_CA_CERTS']
  await using house = await openPackageHouse(egressToRegistry(), {
    npmrcPath: path.join(homedir(), '.npmrc'),
    ...(extraAuthorities !== undefined && { extraAuthorities }),
  })
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
  const extraAuthorities = process.env['NODE_EXTRA_CA_CERTS']
  await using house = await openPackageHouse(egressToRegistry(), {
    ...(extraAuthorities !== undefined && { extraAuthorities }),
  })
  const nobody = { ...launch, package: '@modelcontextprotocol/server-nobody-has-this' }
  const installing = house.packages.install('it', nobody, () => undefined, never)
  await assert.rejects(installing, { code: 'catalog.no-such-package' })
  assert.deepEqual(house.list(), [])
})
