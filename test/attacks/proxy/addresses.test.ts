/** Escapes by address: allowed names that point into this machine or its network, now or a moment later. */
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import test from 'node:test'
import { getThrough, openOutside, sendConnect } from '../../../src/egress/test-outside.ts'
import { openBareProxy } from './bare-proxy.ts'

const strict = { dangerouslyAllowAddress: () => false }

test('43: an allowed name that points to a private or special address is refused, and nothing is dialled', async () => {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'], {
    ...strict,
    limits: { newPerSecond: 1000 },
  })
  await using bare = await openBareProxy(outside)
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00:ec2::254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '::ffff:10.0.0.1',
    '2002:7f00:1::1',
    ...own.map(({ address }) => address),
  ]) {
    outside.names.set('allowed.example', [address])
    const { status, body } = await sendConnect(proxy.port, 'allowed.example:443')
    assert.deepEqual([status, body], [403, 'host has no public address'], address)
    assert.deepEqual(outside.dialled, [], address)
    assert.equal(
      (await sendConnect(bare.port, 'allowed.example:443')).status,
      200,
      'the test bites',
    )
    assert.deepEqual(outside.dialled.splice(0), [address], 'the test bites')
  }
})

test('43: of several addresses only the public ones are dialled', async () => {
  await using outside = await openOutside()
  outside.names.set('allowed.example', ['10.0.0.1', '169.254.169.254', '93.184.216.34'])
  await using proxy = await outside.openProxy(['allowed.example'], strict)
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
  assert.deepEqual(outside.dialled, ['93.184.216.34'])
})

test('EGRESS-2: 44: a name that answers differently the second time is dialled where it was vetted', async () => {
  await using outside = await openOutside()
  const rebind = (): void => {
    const answers = [['93.184.216.34'], ['127.0.0.1']]
    outside.names.set('allowed.example', () => answers.shift() ?? ['127.0.0.1'])
  }
  await using proxy = await outside.openProxy(['allowed.example'], strict)
  rebind()
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
  assert.deepEqual(outside.queries.splice(0), ['allowed.example'], 'asked once')
  assert.deepEqual(outside.dialled.splice(0), ['93.184.216.34'])
  assert.equal(
    (await sendConnect(proxy.port, 'allowed.example:443')).status,
    403,
    'and vetted anew each time',
  )

  await using bare = await openBareProxy(outside)
  rebind()
  await sendConnect(bare.port, 'allowed.example:443')
  assert.deepEqual(outside.dialled, ['127.0.0.1'], 'the test bites')
})
