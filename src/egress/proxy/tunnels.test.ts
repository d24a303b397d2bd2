import assert from 'node:assert/strict'
import test from 'node:test'
import { OWNER } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { openOutside } from '../test-outside.ts'
import { createTunnels, type Tunnels } from './tunnels.ts'

const API = { host: 'api.example', port: 443, address: '127.0.0.1' }

async function openCounts(): Promise<{
  readonly tunnels: Tunnels
  readonly told: string[]
  readonly records: () => readonly unknown[]
}> {
  const outside = await openOutside()
  await outside[Symbol.asyncDispose]()
  const { audit, log } = outside.parts()
  const told: string[] = []
  const tunnels = createTunnels({
    owner: OWNER.id,
    server: 'notion' as ServerId,
    audit,
    log,
    now: () => 0,
    onTraffic: () => told.push('traffic'),
  })
  return { tunnels, told, records: () => outside.events.map(({ details }) => details) }
}

test('createTunnels() shows a connection while it is open, with the bytes that have passed by now', async () => {
  const { tunnels } = await openCounts()
  const carried = { up: 10, down: 0 }
  const open = tunnels.open({ ...API, carried })
  carried.down = 2000
  const lastAt = '1970-01-01T00:00:00.000Z'
  const host = { host: 'api.example', port: 443, connections: 1, lastAt }
  assert.deepEqual(tunnels.reached, [{ ...host, open: 1, up: 10, down: 2000 }])
  carried.up = 30
  open[Symbol.dispose]()
  assert.deepEqual(tunnels.reached, [{ ...host, open: 0, up: 30, down: 2000 }])
  tunnels[Symbol.dispose]()
})

test('createTunnels() records the first connection to a host at once, and the rest as one sum a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const { tunnels, told, records } = await openCounts()
  const connect = (): void =>
    tunnels.open({ ...API, carried: { up: 1, down: 2 } })[Symbol.dispose]()
  for (let n = 0; n < 1000; n += 1) connect()
  assert.deepEqual(records(), [{ ...API, up: 1, down: 2, ms: 0 }])
  t.mock.timers.tick(500)
  assert.deepEqual(told, ['traffic'], 'all thousand are told once')
  t.mock.timers.tick(60_000)
  const sum = { host: 'api.example', port: 443, more: 999, up: 999, down: 1998 }
  assert.deepEqual(records().slice(1), [sum])
  t.mock.timers.tick(120_000)
  assert.equal(records().length, 2, 'a quiet minute is no news')
  connect()
  assert.equal(records().length, 3)
  connect()
  tunnels[Symbol.dispose]()
  assert.equal(records().length, 4, 'the end of the process writes the sum that is left')
})

test('createTunnels() tells at most 64 hosts apart, whatever names a server makes up', async () => {
  const { tunnels, records } = await openCounts()
  for (let n = 0; n < 1000; n += 1) {
    const carried = { up: 1, down: 1 }
    tunnels.open({ ...API, host: `n${n}.example`, carried })[Symbol.dispose]()
  }
  assert.equal(tunnels.reached.length, 65)
  assert.equal(records().length, 65)
  const others = tunnels.reached.find(({ host }) => host === '(other hosts)')
  assert.deepEqual([others?.connections, others?.up], [936, 936])
  tunnels[Symbol.dispose]()
})
