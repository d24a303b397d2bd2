/** A sign-in that fails: the person learns why, and what to do next. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, settle } from './fake-world.ts'
import { createStage, send, unauthorized } from './oauth-stage.ts'

test('a server that is only signed in to says why that failed, and what to do', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage('none')
  const setup = world.open({ acquirer })
  world.odd.start = () => {
    throw unauthorized()
  }
  await send(world, setup, 'connect tracker')
  const failure = { reason: 'the server is out of order (HTTP 503)', next: 'Wait an hour' }
  outcomes[0]?.resolve({ kind: 'unavailable', ...failure })
  await settle()
  assert.equal(
    world.outbox.at(-1),
    "Signing in to Tracker failed: the server is out of order (HTTP 503). Wait an hour, then say 'connect tracker' to try again. If you have a token for it, send that instead; or 'cancel'.",
  )
})
