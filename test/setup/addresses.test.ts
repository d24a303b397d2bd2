/** A credential that is an address: its host, which nothing else names, is put on the server's allow-list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { openChat } from './fake-chat.ts'

const database = parseServerId('database')
const addressOf = (host: string): string => `postgres://shop:k7Tq-w9x@${host}/shop`

function openWorld() {
  const chat = openChat()
  for (const host of ['a.example.com', 'b.example.com:6543']) {
    chat.world.accepted.add(addressOf(host))
  }
  return chat
}

test('the host of the address is on the list, and one that comes later joins it', async () => {
  const { world, send, setup } = openWorld()
  await send('connect database')
  await send(addressOf('a.example.com'))
  assert.equal(setup.view()?.phase, 'connected')
  assert.deepEqual(world.definitions.get(database)?.allowedDomains, ['a.example.com:5432'])
  world.secrets.delete('dsn')
  await send('connect database')
  await send(addressOf('b.example.com:6543'))
  const both = ['a.example.com:5432', 'b.example.com:6543']
  assert.deepEqual(world.definitions.get(database)?.allowedDomains, both)
})

test('an address that is stored, but leads nowhere any more, is asked for again', async () => {
  const { world, send, setup } = openWorld()
  world.secrets.set('dsn', { value: addressOf('a.example.com'), updatedAt: 0, sets: 1 })
  await send('connect database')
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  await send(addressOf('a.example.com'))
  assert.equal(setup.view()?.phase, 'connected')
  await send('connect database')
  assert.equal(setup.view()?.phase, 'connected', 'now it is known')
})

test('an address that cannot be reached is refused with the reason, erased, and asked for again', async () => {
  const { world, send, setup } = openWorld()
  await send('connect database')
  for (const [text, reason] of [
    [addressOf('10.0.0.5'), /names the address of a host/],
    [addressOf('a.example.com:80'), /names no host that can be reached/],
    ['file:/etc/dsn', /is kept elsewhere/],
  ] as const) {
    assert.match((await send(text)) ?? '', reason)
    assert.equal(setup.view()?.phase, 'awaiting-credential')
  }
  assert.equal(world.secrets.size, 0)
  assert.deepEqual([...world.chat.values()], ['connect database'])
})
