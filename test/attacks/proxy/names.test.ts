/** Escapes by name: hosts that are not allowed, and spellings that try to look like one that is. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { getThrough, openOutside, sendConnect, startTls } from '../../../src/egress/test-outside.ts'
import { openBareProxy } from './bare-proxy.ts'

test('EGRESS-1: 38, 39: a host that is not allowed gets 403, and its name never reaches a resolver', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  await using bare = await openBareProxy(outside)
  for (const host of [
    'evil.example',
    'c2vjcmv0.evil.example',
    'secret.allowed.example.evil.example',
  ]) {
    assert.equal((await sendConnect(proxy.port, `${host}:443`)).status, 403, host)
    assert.equal(outside.queries.length, 0, 'no DNS')
    assert.equal((await sendConnect(bare.port, `${host}:443`)).status, 200, 'the test bites')
    assert.ok(
      outside.queries.splice(0).includes(host),
      'the test bites: a bare proxy asks the resolver',
    )
    assert.equal(proxy.blocked.at(-1), `Blocked: MCP server tried to reach ${host}`)
  }
})

test('40: an address is refused in every spelling', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  await using bare = await openBareProxy(outside)
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '0xa9fea9fe',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ]) {
    assert.equal((await sendConnect(proxy.port, `${host}:443`)).status, 400, host)
    assert.equal(
      (await sendConnect(bare.port, `${host}:443`)).status,
      200,
      `the test bites: ${host}`,
    )
  }
  assert.equal((await sendConnect(proxy.port, '①②⑦.0.0.1:443')).status, 400)
  assert.deepEqual(outside.queries, [])
  assert.equal(outside.dialled.length, 8, 'only the bare proxy dialled')
})

test('41: a target that two readers would read differently is refused', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  await using bare = await openBareProxy(outside)
  for (const target of [
    'allowed.example:443@evil.example:443',
    'allowed.example:443/../x',
    'allowed.example:0443',
  ]) {
    assert.equal((await sendConnect(proxy.port, target)).status, 400, target)
    assert.equal((await sendConnect(bare.port, target)).status, 200, `the test bites: ${target}`)
  }
  for (const target of [
    'http://allowed.example:443',
    'evil.example\0.allowed.example:443',
    'all\u00adowed.example:443',
    'allowed.example:65979',
    'allowed.example: 443',
    'allowed.example',
  ]) {
    assert.equal((await sendConnect(proxy.port, target)).status, 400, JSON.stringify(target))
  }
  assert.match(outside.logged.join(''), /^[\x20-\x7e]+$/, 'what is told of them is printable')
})

test('42: an allowed host is reached on port 443 only', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  await using bare = await openBareProxy(outside)
  for (const port of [22, 25, 80, 8443]) {
    assert.equal((await sendConnect(proxy.port, `allowed.example:${port}`)).status, 403, `${port}`)
    assert.equal(
      (await sendConnect(bare.port, `allowed.example:${port}`)).status,
      200,
      'the test bites',
    )
  }
  assert.equal(proxy.proxy.blocked, 4)
})

test('48: upper case and a final dot change nothing; a name around an allowed one is another name', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  await using bare = await openBareProxy(outside)
  const { status, socket } = await sendConnect(proxy.port, 'ALLOWED.example.:443')
  assert.equal(status, 200)
  const tls = await startTls(socket, 'allowed.example')
  assert.ok(tls)
  tls.destroy()
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
  for (const host of [
    'allowed.example.evil.example',
    'evilallowed.example',
    'sub.allowed.example',
  ]) {
    assert.equal((await sendConnect(proxy.port, `${host}:443`)).status, 403, host)
    assert.equal((await sendConnect(bare.port, `${host}:443`)).status, 200, 'the test bites')
  }
})
