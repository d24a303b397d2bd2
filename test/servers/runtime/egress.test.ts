/**
 * The egress of a sandboxed server: Node's own fetch in the real sandbox → the real proxy → a TLS server on loopback
 * under a test authority, which stands for the internet. Resolver and address are injected; nothing leaves this
 * machine.
 */
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createEgress } from '../../../src/egress/create-egress.ts'
import { openOutside, type Outside } from '../../../src/egress/test-outside.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { never } from '../../../src/kernel/test-never.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { until } from '../../fixtures/until.ts'
import { define, openHouse, type TestHouse } from './direct-sandbox.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const folder = mkdtempSync('/var/tmp/cordon-egress-')
chmodSync(folder, 0o755) // servers are not root, even where Cordon is
cpSync(here('../../fixtures/servers/fetcher.mjs'), path.join(folder, 'fetcher.mjs'))
const authority = path.join(folder, 'authority.pem')
copyFileSync(here('../../attacks/proxy/fixtures/ca.pem'), authority)
chmodSync(authority, 0o644)
const sandbox = await openSandbox({
  pinPath,
  nodePath: process.execPath,
  cordonHome: `${folder}-home`,
  userHome: homedir(),
  timings: { politeMs: 500, firmMs: 500 },
})
after(async () => {
  await sandbox[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** A server that may reach two hosts, and trusts the test's authority because its definition says so. */
async function open(outside: Outside): Promise<TestHouse> {
  const plain = define('it', 'fetcher')
  const definition = {
    ...plain,
    command: 'node',
    args: [path.join(folder, 'fetcher.mjs')],
    allowedDomains: ['allowed.example', '*.wild.example'],
    env: { NODE_EXTRA_CA_CERTS: '${config.authority}' },
    config: { authority },
    sandbox: { ...plain.sandbox, readPaths: [folder] },
  }
  const egress = createEgress(outside.parts())
  return await openHouse([definition], { sandbox, egress, log: outside.parts().log })
}

async function get(house: TestHouse, url: string): Promise<string> {
  const result = await house.call('it', 'get', { url })
  return result.kind === 'ok' ? JSON.stringify(result.value) : result.reason
}

test('EGRESS-1: a sandboxed server’s own fetch reaches the hosts on its list, over TLS it checks itself', async () => {
  await using outside = await openOutside()
  await using house = await open(outside)
  assert.match(await get(house, 'https://allowed.example/path?q=1'), /200 hello allowed\.example/)
  assert.match(await get(house, 'https://a.wild.example/'), /200 hello a\.wild\.example/)
  assert.deepEqual(outside.reached, ['allowed.example', 'a.wild.example'])
  await house.servers.stop(parseServerId('it'))
  await until(() => outside.events.filter(({ kind }) => kind === 'egress.tunnel').length === 2)
  const [tunnel] = outside.events.filter(({ kind }) => kind === 'egress.tunnel')
  assert.partialDeepStrictEqual(tunnel, {
    subject: 'it',
    details: { host: 'allowed.example', port: 443, address: '127.0.0.1' },
  })
})

// Regression 19
test('EGRESS-1: what is not on the list is refused before any lookup, and told in three places', async () => {
  await using outside = await openOutside()
  await using house = await open(outside)
  const message = 'Blocked: MCP server tried to reach evil.example'
  assert.match(await get(house, 'https://evil.example/?stolen=1'), /fetch failed/)
  assert.deepEqual([outside.queries, outside.dialled, outside.reached], [[], [], []])
  const rows = outside.events.filter(({ kind }) => kind === 'egress.blocked')
  assert.deepEqual(
    rows.map(({ subject, details }) => [subject, details?.['host'], details?.['port']]),
    [['it', 'evil.example', 443]],
  )
  assert.ok(outside.logged.some((line) => line.startsWith(`warn ${message}`)))
  const ring = await house.servers.logs(parseServerId('it'))
  assert.ok(ring.some(({ from, text }) => from === 'egress' && text === message))
  assert.ok(!JSON.stringify([outside.events, outside.logged, ring]).includes('stolen'))
  assert.match(await get(house, 'https://allowed.example/'), /200 hello/, 'and it goes on working')
})

test('a server that ends because its database cannot be found is said to be unable to reach it', async () => {
  await using outside = await openOutside()
  const script = `require('node:net').connect(5432, 'db.example').on('error', () => {}).on('close', () => process.exit(1))`
  const allowedDomains = ['db.example:5432']
  const definition = {
    ...define('it', 'echo'),
    command: 'node',
    args: ['-e', script],
    allowedDomains,
  }
  const egress = createEgress(outside.parts())
  await using house = await openHouse([definition], { sandbox, egress })
  const reason = 'exited with code 1; it could not reach db.example:5432 (host cannot be resolved)'
  await assert.rejects(house.servers.start(parseServerId('it'), never), { why: `it ${reason}` })
  const ring = await house.servers.logs(parseServerId('it'))
  assert.ok(ring.some(({ from, text }) => from === 'egress' && text.includes('db.example:5432')))
})

test('EGRESS-2: a name on the list that leads into a private network is refused', async () => {
  await using outside = await openOutside()
  outside.names.set('allowed.example', ['10.0.0.1', '169.254.169.254', '::1'])
  await using house = await open(outside)
  assert.match(await get(house, 'https://allowed.example/'), /fetch failed/)
  assert.deepEqual(outside.dialled, [])
  const row = outside.events.find(({ kind }) => kind === 'egress.blocked')
  assert.equal(row?.details?.['reason'], 'host has no public address')
})

test('EGRESS-3: plain http and addresses do not get out, and a bad certificate is the server’s to refuse', async () => {
  await using outside = await openOutside()
  await using house = await open(outside)
  for (const url of ['http://allowed.example/', 'https://127.0.0.1/', 'https://[::1]/']) {
    const got = await get(house, url)
    assert.doesNotMatch(got, /200 hello/, url)
  }
  assert.deepEqual([outside.queries, outside.dialled], [[], []])
  outside.names.set('b.c.wild.example', ['127.0.0.1'])
  assert.match(await get(house, 'https://b.c.wild.example/'), /fetch failed/)
})
