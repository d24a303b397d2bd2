/** Attacks by a server's traffic, listings and output: rows P5 to P7. */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createEgress } from '../../../src/egress/create-egress.ts'
import { AUTHORITY, openOutside } from '../../../src/egress/test-outside.ts'
import type { AuditEvent } from '../../../src/kernel/audit-record.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { openCordon, root } from '../../fixtures/cordon.ts'
import { until } from '../../fixtures/until.ts'
import { define, never, openHouse } from '../../servers/runtime/direct-sandbox.ts'
import { createStreamServer, openRemote, remote } from '../../servers/runtime/http-server.ts'
import { openBehind, saidIn } from './behind-sandbox.ts'

test('P5: a server that also writes to somebody else reaches its vendor alone, and how much went there is on record', async () => {
  await using behind = await openBehind()
  await using outside = await openOutside()
  const authority = path.join(behind.programs, 'authority.pem')
  writeFileSync(authority, AUTHORITY)
  chmodSync(authority, 0o644)
  const plain = behind.define('it', 'attack-bcc', {
    env: { NODE_EXTRA_CA_CERTS: '${config.authority}' },
    config: { authority },
  })
  const shown = { ...plain, sandbox: { ...plain.sandbox, readPaths: [behind.programs] } }
  const egress = createEgress(outside.parts())
  const body = 'an invoice '.repeat(500)
  {
    await using house = await behind.open([shown], { egress })
    const said = saidIn(await house.call('it', 'send', { body }))
    assert.equal(said, 'did not get out, did not get out', 'no host is allowed by itself')
    assert.deepEqual([outside.queries, outside.reached], [[], []])
  }
  const tried = outside.events.splice(0).map(({ details }) => details?.['host'])
  assert.deepEqual(tried, ['allowed.example', 'evil.example'], 'and both attempts are on record')
  await using house = await behind.open([{ ...shown, allowedDomains: ['allowed.example'] }], {
    egress,
  })
  assert.equal(saidIn(await house.call('it', 'send', { body })), '200, did not get out')
  assert.deepEqual([outside.queries, outside.reached], [['allowed.example'], ['allowed.example']])
  const blocked = outside.events.filter(({ kind }) => kind === 'egress.blocked')
  assert.deepEqual(
    blocked.map(({ details }) => details?.['host']),
    ['evil.example'],
  )
  await house.servers.stop(parseServerId('it'))
  const tunnel = (): AuditEvent | undefined =>
    outside.events.find(({ kind }) => kind === 'egress.tunnel')
  await until(() => tunnel() !== undefined)
  assert.ok(Number(tunnel()?.details?.['up']) > body.length)
})

for (const [mode, what, why] of [
  ['cursor', 'names the same next page for ever', /more than 64 pages/],
  ['pages', 'always has one more page', /more than 64 pages/],
  [
    'tools',
    'has 200,000 tools',
    /more than 10000 tools|200,000 values|larger than|above the limits/,
  ],
  ['text', 'describes a tool in 64 MB', /larger than|above the limits/],
  ['deep', 'nests a schema in 100,000 levels', /nested/],
] as const) {
  test(`P6: a server that ${what} is ended, and none of its tools is there`, async () => {
    await using house = await openHouse(
      [define('bomb', `attack-bomb ${mode}`), define('mail', 'attack-mailbox')],
      {
        timings: { restartDelaysMs: [20_000] },
      },
    )
    const before = process.memoryUsage().rss
    const id = parseServerId('bomb')
    await assert.rejects(house.servers.start(id, never), { message: why })
    await until(() => house.running() === 0)
    assert.deepEqual(await house.servers.tools(id), [])
    assert.equal((await house.call('mail', 'inbox')).kind, 'ok', 'others go on')
    assert.ok(process.memoryUsage().rss - before < 400 * 2 ** 20)
  })
}

test('P6: an answer that is small until it is unpacked fails its call', async () => {
  const server = createStreamServer()
  const bomb = gzipSync(Buffer.alloc(128 * 2 ** 20, 0x20))
  let isArmed = false
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  await using house = await openRemote(remote(), (request, response) => {
    if (isArmed && request.method === 'POST') response.writeHead(200, headers).end(bomb)
    else server.listener(request, response)
  })
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  isArmed = true
  const before = process.memoryUsage().rss
  const result = await house.call('it', 'echo', { text: 'hi' })
  assert.equal(result.kind, 'failed')
  assert.match(result.kind === 'failed' ? result.reason : '', /16 MiB|above the limits/)
  assert.ok(process.memoryUsage().rss - before < 100 * 2 ** 20)
})

test('P7: a server that says its token in every way it can leaves it nowhere under the home', async () => {
  const token = 'ghp_RowP7RowP7RowP7RowP7RowP7RowP7RowP7'
  await using cordon = openCordon()
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  await cordon.ask(['vault', 'set', 'token'], { stdin: token })
  const fixture = path.join(root, 'test/fixtures/servers/exfiltrator.mjs')
  const secret = ['--secret', 'TOKEN=vault:token', '--']
  await cordon.ask(['mcp', 'add', 'leaky', ...secret, 'node', fixture])
  const said = await Promise.all(
    ['answer', 'structured', 'error'].map((tool) => cordon.run(['mcp', 'call', `leaky.${tool}`])),
  )
  assert.match(said[0]?.stdout ?? '', /\[redacted\]/, 'it had the token')
  said.push(await cordon.run(['audit', 'export']))
  await cordon.ask(['down'])
  const isLeak = (bytes: Buffer | string): boolean => {
    const found = Buffer.from(bytes).toString('latin1')
    const spelled = (['base64', 'base64url', 'hex'] as const).map((how) =>
      Buffer.from(token).toString(how).replace(/=+$/, ''),
    )
    return [token, ...spelled].some((one) => found.includes(one))
  }
  for (const { stdout, stderr } of said) assert.equal(isLeak(stdout + stderr), false)
  const files = readdirSync(cordon.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  assert.ok(
    files.some((file) => file.endsWith('leaky.json')),
    'what it says of itself is kept',
  )
  assert.deepEqual(
    files.filter((file) => isLeak(readFileSync(file))),
    [],
  )
})
