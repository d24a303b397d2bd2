/** A server that does not start: the error code, or else the server's output, tells whether its credential is wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import { GOOD, KEPT, openChat } from './fake-chat.ts'

for (const [what, code, why] of [
  ['the host saw', 'servers.unauthorized', 'it does not accept the credentials'],
  ['the server wrote', 'servers.start', 'it exited with code 1; it last said: 401 Unauthorized'],
] as const) {
  test(`a credential that is refused at the start is asked for again: ${what}`, async () => {
    const { world, setup, send } = openChat()
    world.odd.start = () => {
      throw new CordonError(code, { exit: 3, hint: 'Look', why }, 'Cannot start server "notion"')
    }
    await send('connect notion')
    await send(GOOD)
    assert.equal(
      world.outbox.at(-1),
      `The Notion token doesn't work (${why}). Send a new token, or 'cancel'.`,
    )
    assert.equal(setup.view()?.phase, 'awaiting-credential')
  })
}

test('an error of our own is told by its code, whatever its words sound like', async () => {
  const { world, setup, send } = openChat()
  world.odd.start = () => {
    throw new CordonError('sandbox.path', { exit: 2, hint: 'Look' }, 'Cannot show "invalid token"')
  }
  await send('connect notion')
  await send(GOOD)
  const said = `Failed to start Notion server: Cannot show "invalid token". Look${KEPT}`
  assert.equal(world.outbox.at(-1), said)
  assert.equal(setup.view()?.phase, 'failed')
})

const NAMED = ['NODE_OPTIONS', 'ES_URL', 'ES_API_KEY']
const SILENT = 'it exited with code 1'
const OF_A_VALUE = `${SILENT}; it last said: "Elasticsearch URL cannot be empty"`

for (const why of [SILENT, OF_A_VALUE]) {
  test(`a server that names nothing is asked about by its README: ${why}`, async () => {
    const { world, setup, send } = openChat()
    world.odd.namedSettings = NAMED
    world.odd.start = () => {
      const isGiven = [...world.definitions.values()].some(({ env }) => env?.['ES_URL'] === 'up')
      if (isGiven) return
      throw new CordonError('servers.start', { exit: 5, hint: 'Look', why }, 'Cannot start server')
    }
    await send('connect npx @acme/search')
    await send('some-other-token-1234567890')
    assert.match(world.outbox.at(-1) ?? '', /its README has people set ES_URL\. Send it here/)
    await send('up')
    assert.equal(setup.view()?.phase, 'connected')
  })
}

test('a server that says why it ended is not asked about by its README', async () => {
  const { world, setup, send } = openChat()
  world.odd.namedSettings = NAMED
  world.odd.start = () => {
    const why = 'it exited with code 1; it last said: Error: Chromium was not found'
    throw new CordonError('servers.start', { exit: 5, hint: 'Look', why }, 'Cannot start server')
  }
  await send('connect npx @acme/search')
  await send('some-other-token-1234567890')
  assert.equal(setup.view()?.phase, 'failed')
})
