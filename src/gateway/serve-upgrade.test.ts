import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { GatewayClient } from '../ports/client-port.ts'
import { Drain } from './drain.ts'
import { serveUpgrade, type UpgradeDeps } from './serve-upgrade.ts'

const CLIENT: GatewayClient = { name: 'one', taint: 'ask', createdAt: '' }
const UPGRADE = { url: '/mcp', headers: { upgrade: 'mcp', 'cordon-streams': 'offered' } }

function gateway(deps: Pick<UpgradeDeps, 'takeStreams'>, admit: () => Promise<GatewayClient>) {
  const logged: string[] = []
  const note = (message: string): void => void logged.push(message)
  const log = { info: note, warn: note, error: note }
  const clients = { admit, revoked: () => new AbortController().signal }
  const answering = { handle: async () => ({}), drain: new Drain(), log }
  return { deps: { ...deps, answering, clients }, logged }
}

test('serveUpgrade() ends the connection, and nothing else, when the store of the clients is away', async () => {
  const { deps, logged } = gateway({}, () => Promise.reject(new Error('no database')))
  const connection = new PassThrough()
  await serveUpgrade(deps, UPGRADE, connection)
  assert.equal(connection.destroyed, true)
  assert.equal(logged.length, 1)
})

test('serveUpgrade() ends the connection when the streams behind it cannot be taken', async () => {
  const takeStreams = () => Promise.reject(new Error('no process can be started'))
  const { deps } = gateway({ takeStreams }, async () => CLIENT)
  const connection = new PassThrough()
  await serveUpgrade(deps, UPGRADE, connection)
  assert.equal(connection.destroyed, true)
})

test('serveUpgrade() takes no streams of a program that left before it was admitted', async () => {
  let isAsked = false
  const takeStreams = async () => {
    isAsked = true
    return undefined
  }
  const connection = new PassThrough()
  const { deps, logged } = gateway({ takeStreams }, async () => {
    connection.destroy()
    return CLIENT
  })
  await serveUpgrade(deps, UPGRADE, connection)
  assert.deepEqual({ isAsked, logged }, { isAsked: false, logged: [] })
})
