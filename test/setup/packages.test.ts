/** How a connection installs its package: early, with progress messages, and cancelled together with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import { GOOD, openChat } from './fake-chat.ts'
import { settle } from './fake-world.ts'

test('an install that takes its time says what it is doing', async () => {
  const { world, send } = openChat()
  const gate = Promise.withResolvers<void>()
  world.odd.install = () => gate.promise
  await send('connect notion')
  await send(GOOD)
  assert.deepEqual(world.outbox, [])
  await world.advance(1000)
  await world.advance(1000)
  assert.deepEqual(world.outbox, ['Downloading the package...'])
  gate.resolve()
  await settle()
})

test('the package is fetched while the person looks for the token, and given up with the flow', async () => {
  const { world, send } = openChat()
  const signals: AbortSignal[] = []
  const gate = Promise.withResolvers<void>()
  world.odd.install = async (signal) => {
    signals.push(signal)
    await gate.promise
  }
  assert.match((await send('connect notion')) ?? '', /^I need your Notion token/)
  assert.equal(signals.length, 1)
  await send('cancel')
  assert.equal(signals[0]?.aborted, true)
  gate.resolve()
})

test('a package that cannot be had is said before a token is sent', async () => {
  const { world, setup, send } = openChat()
  world.odd.install = async () => {
    throw new CordonError(
      'catalog.gone',
      { exit: 5, hint: 'Look at the name' },
      'Cannot install it',
    )
  }
  await send('connect notion')
  assert.deepEqual(world.outbox, [
    'Failed to start Notion server: Cannot install it. Look at the name',
  ])
  assert.equal(setup.view()?.phase, 'failed')
})
