/** New credentials for a running server: the server restarts, and no call is lost or answered by the old process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../fixtures/until.ts'
import { define, never, openHouse } from './direct-sandbox.ts'

const token = { scheme: 'oauth', name: 'github' } as const

test('a renewed token restarts its server once the calls under way are done; later ones wait', async () => {
  const secrets = { github: 'first' }
  const slow = define('slow', 'slow', { auth: { TOKEN: token } })
  const other = define('other', 'echo')
  await using house = await openHouse([slow, other], { secrets })
  const { servers, launches } = house
  await servers.start(slow.id, never)
  await servers.start(other.id, never)
  const underWay = house.call('slow', 'sleep', { ms: 300 })
  await until(() => launches.length === 2)
  secrets.github = 'second'
  const renewed = servers.renew('github')
  const later = house.call('slow', 'sleep', { ms: 1 })
  assert.equal((await underWay).kind, 'ok')
  await renewed
  assert.equal((await later).kind, 'ok')
  assert.deepEqual(
    launches.map(({ spec }) => [spec.server, spec.environment['TOKEN']]),
    [
      ['slow', 'first'],
      ['other', undefined],
      ['slow', 'second'],
    ],
  )
  assert.equal(house.running(), 2)
})

test('a server that its owner stops while a renewed token waits for its calls stays stopped', async () => {
  const slow = define('slow', 'slow', { auth: { TOKEN: token } })
  await using house = await openHouse([slow], { secrets: { github: 'first' } })
  await house.servers.start(slow.id, never)
  const underWay = house.call('slow', 'sleep', { ms: 3_600_000 })
  const renewed = house.servers.renew('github')
  await house.servers.stop(slow.id)
  await renewed
  assert.equal((await underWay).kind, 'failed')
  await until(async () => (await house.servers.states())[0]?.reason === undefined)
  assert.equal(house.launches.length, 1)
})

test('a token that no running server holds restarts nobody', async () => {
  const idle = define('idle', 'echo', { auth: { TOKEN: token } })
  await using house = await openHouse([idle], { secrets: { github: 'x' } })
  await house.servers.renew('github')
  await house.servers.renew('gitlab')
  assert.equal(house.launches.length, 0)
})
