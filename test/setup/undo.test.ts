/** A connection that is cancelled or fails leaves nothing behind, even when its clean-up fails at first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BAD, GOOD, openChat } from './fake-chat.ts'
import { messageIn, NEVER, settle, textOf } from './fake-world.ts'

test('a cancel in the middle of the work undoes it, and its late result changes nothing', async () => {
  const { world, setup, send } = openChat()
  const gate = Promise.withResolvers<void>()
  world.odd.install = () => gate.promise
  await send('connect notion')
  await send(GOOD)
  const answer = setup.take(messageIn(world, 'cancel'), NEVER)
  gate.resolve()
  assert.equal(textOf(await answer), 'Notion setup cancelled.')
  await settle()
  assert.equal(setup.view()?.phase, 'cancelled')
  assert.equal(world.definitions.size, 0)
  assert.equal(world.running.size, 0)
})

test('a cancel waits for a definition that is just being written, and takes it back', async () => {
  const { world, setup, send } = openChat()
  const gate = Promise.withResolvers<void>()
  world.odd.add = () => gate.promise
  await send('connect notion')
  await send(GOOD)
  const answer = setup.take(messageIn(world, 'cancel'), NEVER)
  await settle()
  assert.equal(world.definitions.size, 0, 'it is not there yet')
  gate.resolve()
  assert.equal(textOf(await answer), 'Notion setup cancelled.')
  assert.equal(world.definitions.size, 0)
})

test('a failed clean-up is done at the next start', async () => {
  const { world, setup, send } = openChat()
  world.odd.undo = () => {
    throw new Error('disk full')
  }
  await send('connect notion')
  await send(BAD)
  assert.equal(await send('cancel'), 'Notion setup cancelled.')
  assert.equal(world.definitions.size, 1)
  world.odd = {}
  await setup[Symbol.asyncDispose]()
  await world.open().resume()
  await settle()
  assert.equal(world.definitions.size, 0)
  assert.equal(world.notes.size, 0)
})

test('a restart does not try a refused token again by itself', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  await send(BAD)
  await setup[Symbol.asyncDispose]()
  world.steps.length = 0
  const again = world.open()
  await again.resume()
  await settle()
  assert.equal(again.view()?.phase, 'awaiting-credential')
  assert.ok(!world.steps.includes('start notion'))
})

test('a flow can be seen and cancelled from its first moment on', async () => {
  const { world, setup } = openChat()
  const gate = Promise.withResolvers<void>()
  const { definitions } = world.rooms()
  const slow = world.open({
    definitions: {
      ...definitions,
      load: async (folder) => {
        await (slow.view() && gate.promise)
        return await definitions.load(folder)
      },
    },
  })
  const connecting = slow.connect('notion', {}, NEVER)
  await settle()
  assert.equal(slow.view()?.phase, 'connecting')
  assert.equal((await slow.cancel())?.phase, 'cancelled')
  gate.resolve()
  assert.equal((await connecting).phase, 'cancelled')
  await setup[Symbol.asyncDispose]()
})
