/** The target of a tunnel: the host and port that the owner named, but never this machine by another name. */
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { connect, createServer } from 'node:net'
import os from 'node:os'
import { test } from 'node:test'
import type { ServerId } from '../../kernel/server-id.ts'
import type { Tunnel } from '../../text/tunnel.ts'
import { createEgress, type EgressParts } from '../create-egress.ts'
import { listen, openOutside } from '../test-outside.ts'

/** A database that greets every client, at every address that the tunnel dials. */
async function openScene(
  host: string,
  addresses: readonly string[],
  changes: Partial<EgressParts> = {},
) {
  const outside = await openOutside()
  outside.names.set(host, addresses)
  const database = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
  const databasePort = await listen(database)
  const dialled: string[] = []
  const parts = outside.parts({
    connect(address, port) {
      dialled.push(`${address}:${port}`)
      return connect({ host: '127.0.0.1', port: databasePort, allowHalfOpen: true })
    },
    ...changes,
  })
  const inside = createServer()
  const blocked: string[] = []
  const to: Tunnel = { host, port: 5432 }
  const way = createEgress(parts).tunnel(
    'fixture' as ServerId,
    {
      to,
      onConnection: (take) => void inside.on('connection', take),
      close: () => void inside.close(),
    },
    ({ message }) => blocked.push(message),
  )
  const port = await listen(inside)
  return {
    outside,
    dialled,
    blocked,
    /** Sends the text and returns the answer. */
    async say(text: string): Promise<string> {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.end(text)
      let heard = ''
      socket.on('data', (bytes) => (heard += String(bytes)))
      await new Promise((resolve) => socket.once('close', resolve))
      return heard
    },
    async [Symbol.asyncDispose]() {
      await way[Symbol.asyncDispose]()
      inside.close()
      database.close()
      await outside[Symbol.asyncDispose]()
    },
  }
}

for (const address of ['93.184.216.34', '10.1.2.3', '192.168.7.7', '100.64.0.9', 'fd12:3456::1']) {
  test(`a tunnel leads to ${address}, where its host is, and is written down`, async () => {
    await using scene = await openScene('db.example.com', [address])
    assert.equal(await scene.say('SELECT 1'), 'SELECT 1')
    assert.deepEqual(scene.dialled, [`${address}:5432`])
    assert.deepEqual(scene.outside.queries, ['db.example.com'])
    const [event] = scene.outside.events
    assert.equal(event?.kind, 'egress.tunnel')
    const details = { host: 'db.example.com', port: 5432, address, up: 8, down: 8 }
    assert.deepEqual({ ...event?.details, ms: 0 }, { ...details, ms: 0 })
  })
}

for (const address of [
  '127.0.0.1',
  '::1',
  '169.254.169.254',
  'fd00:ec2::254',
  '100.100.100.200',
  '0.0.0.0',
  '::ffff:10.0.0.1',
  '224.0.0.1',
]) {
  test(`EGRESS-5: a tunnel never leads to ${address}, whatever its host resolves to`, async () => {
    await using scene = await openScene('db.example.com', [address])
    assert.equal(await scene.say('SELECT 1'), '')
    assert.deepEqual(scene.dialled, [])
    assert.match(scene.blocked.join(), /db\.example\.com/)
  })
}

test('EGRESS-5: a tunnel does not lead to this machine by its address in a private network', async (t) => {
  const card = { address: '10.1.2.3' } as os.NetworkInterfaceInfo
  const cards = t.mock.method(os, 'networkInterfaces', () => ({ eth0: [card] }))
  syncBuiltinESMExports()
  try {
    await using scene = await openScene('db.example.com', ['10.1.2.3'])
    assert.equal(await scene.say('SELECT 1'), '')
    assert.deepEqual(scene.dialled, [])
    await using neighbour = await openScene('db.example.com', ['10.1.2.4'])
    assert.equal(await neighbour.say('SELECT 1'), 'SELECT 1')
  } finally {
    cards.mock.restore()
    syncBuiltinESMExports()
  }
})

test('EGRESS-5: only a tunnel to this machine by its own name leads to this machine, and to nothing else', async () => {
  for (const host of ['localhost', '127.0.0.1']) {
    await using scene = await openScene(host, ['127.0.0.1'])
    assert.equal(await scene.say('x'), 'x')
    assert.deepEqual(scene.dialled, ['127.0.0.1:5432'])
    await using elsewhere = await openScene(host, ['10.1.2.3'])
    assert.equal(await elsewhere.say('x'), '')
    assert.deepEqual(elsewhere.dialled, [])
  }
})

test('a flood of new connections is held back', async () => {
  await using scene = await openScene('db.example.com', ['10.1.2.3'], {
    limits: { newPerSecond: 2 },
    now: () => 0,
  })
  const heard = await Promise.all(['a', 'b', 'c', 'd'].map((text) => scene.say(text)))
  assert.equal(heard.filter((text) => text !== '').length, 2)
  assert.equal(scene.dialled.length, 2)
})
