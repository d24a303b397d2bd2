/** Connecting by signing in: the prompt, the token, and every way in which no token comes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { Acquired, Acquirer } from '../../src/setup/connection/acquirer.ts'
import type { OwnedSetup } from '../../src/setup/create-setup.ts'
import { createWorld, messageIn, NEVER, settle, textOf, type World } from './fake-world.ts'
import { createStage, DEVICE, send, unauthorized } from './oauth-stage.ts'

const PASTED = 'ghp_abcdefghijklmnopqrstuvwxyz012345'
const github = parseServerId('github')

const TOKEN: Acquired = { kind: 'token', ref: { scheme: 'oauth', name: 'github' } }

test('a device prompt is shown, and the token that comes connects by itself', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage()
  const setup = world.open({ acquirer })
  assert.equal(
    await send(world, setup, 'connect github'),
    'Open this link and enter the code:\n🔗 https://github.test/device\n📋 Code: WDJB-MJHT',
  )
  assert.deepEqual(setup.view()?.question?.device, { url: DEVICE.url, code: DEVICE.code })
  world.secrets.set('github', { value: 'from-oauth', updatedAt: world.now, sets: 1 })
  world.accepted.add('from-oauth')
  outcomes[0]?.resolve(TOKEN)
  await settle()
  assert.equal(world.outbox.at(-1), '✓ GitHub connected. 2 tools available.')
  assert.deepEqual(world.definitions.get(github)?.auth, { GITHUB_TOKEN: 'oauth:github' })
})

test('a browser sign-in shows its link', async () => {
  const world = createWorld()
  const url = 'https://github.test/authorize'
  const { acquirer } = createStage({ kind: 'authorize', url })
  const setup = world.open({ acquirer })
  const answer = (await send(world, setup, 'connect github')) ?? ''
  assert.ok(answer.startsWith(`Open this link to sign in:\n🔗 ${url}\n`), answer)
  assert.match(answer, /paste the address of that page here/)
  assert.equal(setup.view()?.question?.authorize, url)
})

test('when signing in fails, the token can be sent instead', async () => {
  const world = createWorld()
  world.accepted.add(PASTED)
  const { acquirer, outcomes } = createStage()
  const setup = world.open({ acquirer })
  await send(world, setup, 'connect github')
  outcomes[0]?.resolve({ kind: 'failed', reason: 'it was denied' })
  await settle()
  assert.equal(
    world.outbox[0],
    "Signing in to GitHub failed: it was denied. Say 'connect github' to try again.",
  )
  assert.match(world.outbox[1] ?? '', /^I need your GitHub token\. Paste it here\./)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  assert.equal(setup.view()?.question?.device, undefined)
  await send(world, setup, PASTED)
  assert.equal(setup.view()?.phase, 'connected')
})

test('without a client id, connect asks for a token and does not mention signing in', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage('none')
  const setup = world.open({ acquirer })
  const answer = send(world, setup, 'connect github')
  await settle()
  outcomes[0]?.resolve({ kind: 'unavailable', reason: 'no client id', isSetUp: false })
  assert.match((await answer) ?? '', /^I need your GitHub token\. Paste it here\./)
})

test('a token that is pasted meanwhile ends the poller, whose late answer is ignored', async () => {
  const world = createWorld()
  world.accepted.add(PASTED)
  const { acquirer, outcomes, signals } = createStage()
  const setup = world.open({ acquirer })
  await send(world, setup, 'connect github')
  await send(world, setup, PASTED)
  assert.equal(signals[0]?.aborted, true)
  outcomes[0]?.resolve(TOKEN)
  await settle()
  assert.deepEqual(world.definitions.get(github)?.auth, { GITHUB_TOKEN: 'vault:github_token' })
})

for (const [what, act] of [
  ['a cancel', (world: World, setup: OwnedSetup) => send(world, setup, 'cancel')],
  ['another connect', (world: World, setup: OwnedSetup) => send(world, setup, 'connect notion')],
  ['the end of its time', (world: World) => world.advance(10 * 60_000)],
] as const) {
  test(`${what} stops the poller, and a late token does not revive the flow`, async () => {
    const world = createWorld()
    const { outcomes, signals } = createStage()
    // An acquirer that ignores its signal.
    const acquirer: Acquirer = {
      wantsMore: async () => false,
      takeCallback: () => 'other',
      async start(_request, onPrompt, signal) {
        signals.push(signal)
        onPrompt(DEVICE)
        const outcome = Promise.withResolvers<Acquired>()
        outcomes.push(outcome)
        return await outcome.promise
      },
    }
    const setup = world.open({ acquirer })
    await send(world, setup, 'connect github')
    const connection = setup.view()?.connection ?? ''
    await act(world, setup)
    assert.equal(signals[0]?.aborted, true)
    outcomes[0]?.resolve(TOKEN)
    await settle()
    assert.equal((await setup.follow(connection, 0, NEVER)).phase, 'cancelled')
    assert.equal(world.definitions.size, 0)
  })
}

test('a remote server is asked first, and signed in to only when it wants that', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage()
  const setup = world.open({ acquirer })
  let isOpen = false
  world.odd.start = () => {
    if (!isOpen) throw unauthorized()
  }
  assert.equal(await send(world, setup, 'connect tracker'), 'Connecting to Tracker...')
  assert.match(world.outbox.at(-1) ?? '', /^Open this link and enter the code:/)
  isOpen = true
  world.secrets.set('tracker', { value: 'x', updatedAt: world.now, sets: 1 })
  outcomes[0]?.resolve({ kind: 'token', ref: { scheme: 'oauth', name: 'tracker' } })
  await settle()
  assert.equal(setup.view()?.phase, 'connected')
  const [definition] = world.definitions.values()
  assert.deepEqual(definition?.auth, { bearer: 'oauth:tracker' })
  assert.equal(definition?.url, 'https://mcp.tracker.test/mcp')
})

test('after a restart it signs in anew with the time that is left', async () => {
  const world = createWorld()
  const first = createStage()
  const setup = world.open({ acquirer: first.acquirer })
  await send(world, setup, 'connect github')
  await setup[Symbol.asyncDispose]()
  assert.equal(first.signals[0]?.aborted, true)
  await world.advance(9 * 60_000)
  const second = createStage()
  const again = world.open({ acquirer: second.acquirer })
  await again.resume()
  await settle()
  assert.match(world.outbox.at(-1) ?? '', /Code: WDJB-MJHT/)
  await world.advance(60_000)
  assert.equal(again.view()?.phase, 'cancelled')
})

for (const code of ['setup.needs-authorization', 'setup.token-damaged', 'vault.expired']) {
  test(`a sign-in that is over (${code}) leads to a new one`, async () => {
    const world = createWorld()
    world.secrets.set('github', { value: 'old', updatedAt: world.now, sets: 1 })
    const { acquirer, outcomes } = createStage()
    const setup = world.open({ acquirer })
    world.odd.start = () => {
      throw new CordonError(code, { exit: 5, hint: 'Sign in again' }, 'Cannot renew it: it is over')
    }
    await send(world, setup, 'connect github')
    assert.equal(outcomes.length, 1, 'it signs in again')
    world.odd = {}
    world.secrets.set('github', { value: 'new', updatedAt: world.now, sets: 2 })
    world.accepted.add('new')
    outcomes[0]?.resolve(TOKEN)
    await settle()
    assert.equal(setup.view()?.phase, 'connected')
  })
}

test('a service that wanted more than was granted is signed in to again, and kept where nobody does', async () => {
  const world = createWorld()
  world.secrets.set('github', { value: 'narrow', updatedAt: world.now, sets: 1 })
  world.accepted.add('narrow')
  const { acquirer, outcomes } = createStage()
  const wanting: string[] = []
  const setup = world.open({
    acquirer: { ...acquirer, wantsMore: async (name) => wanting.push(name) > 0 },
  })
  assert.match((await send(world, setup, 'connect github')) ?? '', /^Open this link/)
  assert.deepEqual(wanting, ['github'])
  outcomes[0]?.resolve(TOKEN)
  await settle()
  assert.equal(setup.view()?.phase, 'connected')
})

test('no token is asked for while it is not known yet how to sign in', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage('none')
  const setup = world.open({ acquirer })
  const answer = send(world, setup, 'connect github')
  await settle()
  assert.equal(setup.view()?.phase, 'connecting')
  assert.equal(setup.view()?.question, undefined)
  outcomes[0]?.resolve({ kind: 'unavailable', reason: 'no client id' })
  await answer
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  assert.equal(setup.view()?.question?.title, 'token')
})

const CALLBACK = 'http://127.0.0.1:4711/oauth/callback?code=c0de&state=s7ate'
const AUTHORIZE = { kind: 'authorize', url: 'https://github.test/authorize' } as const

/** A stage on which one callback URL is waited for. */
function createWaiting() {
  const stage = createStage(AUTHORIZE)
  const taken: string[] = []
  const acquirer: Acquirer = {
    ...stage.acquirer,
    takeCallback(text) {
      if (!text.startsWith('http://127.0.0.1')) return 'other'
      if (text !== CALLBACK) return 'unexpected'
      taken.push(text)
      return 'taken'
    },
  }
  return { ...stage, acquirer, taken }
}

test('SETUP-1: the address at which the browser ended, pasted into the chat, ends the sign-in', async () => {
  const world = createWorld()
  const { acquirer, outcomes, taken } = createWaiting()
  const setup = world.open({ acquirer })
  await send(world, setup, 'connect github')
  const heard = setup.take(messageIn(world, CALLBACK), NEVER)
  await settle()
  assert.deepEqual(taken, [CALLBACK])
  assert.equal(setup.view()?.question, undefined, 'nothing is asked while the code is redeemed')
  world.secrets.set('github', { value: 'from-oauth', updatedAt: world.now, sets: 1 })
  world.accepted.add('from-oauth')
  outcomes[0]?.resolve(TOKEN)
  const reply = await heard
  assert.ok(reply?.kind === 'text' && reply.wasSecret, 'the address is wiped off the screen')
  assert.match(textOf(reply) ?? '', /Connecting to GitHub/)
  await settle()
  assert.equal(setup.view()?.phase, 'connected')
})

test('SETUP-1: an address that no sign-in waits for is neither stored nor handed on', async () => {
  const world = createWorld()
  const { acquirer } = createWaiting()
  const setup = world.open({ acquirer })
  await send(world, setup, 'connect github')
  const other = CALLBACK.replace('s7ate', 'other')
  const reply = await setup.take(messageIn(world, other), NEVER)
  assert.match(textOf(reply) ?? '', /^No sign-in waits for that address/)
  assert.ok(reply?.kind === 'text' && reply.wasSecret)
  const { connection = '' } = setup.view() ?? {}
  await assert.rejects(setup.provide(connection, other), { code: 'setup.callback' })
  assert.equal(world.secrets.size, 0)
})

test('the address can be handed over at a prompt as well, and a failed sign-in asks again', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createWaiting()
  const setup = world.open({ acquirer })
  await send(world, setup, 'connect github')
  const { connection = '' } = setup.view() ?? {}
  const provided = setup.provide(connection, CALLBACK)
  await settle()
  outcomes[0]?.resolve({ kind: 'failed', reason: 'access was denied' })
  const view = await provided
  assert.equal(view.phase, 'awaiting-credential')
  assert.equal(view.question?.authorize, undefined)
})
