/** Connections and a vault that is missing or locked: asked for where a person is, made and told of where none is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { GOOD } from './fake-chat.ts'
import { createWorld, messageIn, NEVER, settle, textOf } from './fake-world.ts'

test('where a person can be asked, nothing is asked for or installed before the vault is open', async () => {
  for (const vault of ['absent', 'locked'] as const) {
    const world = createWorld()
    world.vault = vault
    const setup = world.open()
    const first = await setup.connect('notion', { asksVault: true }, NEVER)
    assert.equal(first.phase, 'awaiting-vault')
    assert.deepEqual(first.said, [])
    assert.ok(!world.steps.includes('install'))
    await assert.rejects(setup.provide(first.connection, GOOD), { code: 'setup.not-asking' })
    await setup.vaultOpened() // although it is still closed
    assert.equal(setup.view()?.phase, 'awaiting-vault')
    world.vault = 'unlocked'
    await setup.vaultOpened()
    assert.equal(setup.view()?.phase, 'awaiting-credential')
  }
})

test('a stored credential in a locked vault waits for it too; a service without one does not', async () => {
  const world = createWorld()
  world.accepted.add(GOOD)
  world.secrets.set('notion_token', { value: GOOD, updatedAt: 0, sets: 1 })
  world.vault = 'locked'
  const setup = world.open()
  assert.equal((await setup.connect('notion', { asksVault: true }, NEVER)).phase, 'awaiting-vault')
  world.vault = 'unlocked'
  await setup.vaultOpened()
  await settle()
  assert.equal(setup.view()?.phase, 'connected')
  const free = createWorld()
  free.vault = 'absent'
  free.tools = ['list']
  const bare = free.open()
  free.definitions.set(parseServerId('plain'), { name: 'Plain', command: 'node', args: [] })
  await bare.connect('plain', { asksVault: true }, NEVER)
  await settle()
  assert.equal(bare.view()?.phase, 'connected')
})

test('a connection that waits for the vault survives a restart, and is cancelled like any other', async () => {
  const world = createWorld()
  world.vault = 'absent'
  await world.open().connect('notion', { asksVault: true }, NEVER)
  const later = world.open()
  await later.resume()
  await settle()
  assert.equal(later.view()?.phase, 'awaiting-vault')
  assert.match(textOf(await later.take(messageIn(world, 'cancel'), NEVER)) ?? '', /cancelled/)
})

test('where nobody can be asked, the default is taken, and what it means is said', async () => {
  const world = createWorld()
  world.accepted.add(GOOD)
  world.vault = 'absent'
  world.odd.set = () => {
    world.vault = 'unlocked'
  }
  const setup = world.open()
  const { connection, phase } = await setup.connect('notion', {}, NEVER)
  assert.equal(phase, 'awaiting-credential')
  await setup.provide(connection, GOOD)
  await settle()
  assert.match(setup.view()?.said.join('\n') ?? '', /no vault yet, so I made one .* in a file/)
  assert.equal(setup.view()?.phase, 'connected')
})
