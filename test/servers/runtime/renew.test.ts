/** New credentials for a running server: it starts again, and no call is lost or answered by the wrong one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { define, never, openHouse, owner, until } from './direct-sandbox.ts'

const token = { scheme: 'oauth', name: 'github' } as const

test('a renewed token restarts its server once the calls under way are done; later ones wait', async () => {
  const secrets = { github: 'first' }
  const slow = define('slow', 'slow', { auth: { TOKEN: token } })
  const other = define('other', 'echo')
  await using house = await openHouse([slow, other], { secrets })
  const { servers, launches } = house
  await servers.start(owner, slow.id, never)
  await servers.start(owner, other.id, never)
  const underWay = house.call('slow', 'sleep', { ms: 300 })
  await until(() => launches.length === 2)
  secrets.github = 'second'
  const renewed = servers.renew(owner, 'github')
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

test('a token that no running server holds restarts nobody', async () => {
  const idle = define('idle', 'echo', { auth: { TOKEN: token } })
  await using house = await openHouse([idle], { secrets: { github: 'x' } })
  await house.servers.renew(owner, 'github')
  await house.servers.renew(owner, 'gitlab')
  assert.equal(house.launches.length, 0)
})
