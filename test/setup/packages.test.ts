/** How a connection installs its package: early, with progress messages, and cancelled together with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstallProgress } from '../../src/ports/catalog-port.ts'
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

test('how much of a step is done is said at first soon, then less and less often', async () => {
  const { world, send } = openChat()
  const gate = Promise.withResolvers<void>()
  let tell: InstallProgress = () => undefined
  world.odd.install = (_signal, progress) => {
    tell = progress
    return gate.promise
  }
  await send('connect notion')
  await send(GOOD)
  for (let second = 1; second <= 12; second += 1) {
    tell('Installing it', `${second} of 30 packages`)
    await world.advance(1000)
  }
  assert.deepEqual(world.outbox, [
    'Installing it...',
    '… 2 of 30 packages',
    '… 4 of 30 packages',
    '… 8 of 30 packages',
  ])
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
