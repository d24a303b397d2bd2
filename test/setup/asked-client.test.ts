/** Connecting where the owner has to register a client: asked for once, kept, and never part of the definition. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { CATALOG } from './fake-services.ts'
import { createWorld, settle } from './fake-world.ts'
import { createStage, send } from './oauth-stage.ts'

const CLIENT_ID = '1234567890-abc.apps.example.com'
const CLIENT_SECRET = 'GOCSPX-abcdefghijklmnop'
const client = { provider: 'google', where: 'Make one at the console', hasSecret: true }

test('connect asks for the client id and its secret, keeps both, and signs in with them', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage('none')
  const setup = world.open({ acquirer })
  const begun = send(world, setup, 'connect github')
  await settle()
  outcomes[0]?.resolve({ kind: 'unavailable', reason: 'no client', isSetUp: false, client })
  assert.match(
    (await begun) ?? '',
    /^I need your GitHub client id\. Make one at the console\. Paste/,
  )
  assert.match((await send(world, setup, CLIENT_ID)) ?? '', /^I need your GitHub client secret\./)
  const stored = send(world, setup, CLIENT_SECRET)
  await settle()
  assert.equal(world.secrets.get('oauth-app/google/id')?.value, CLIENT_ID)
  assert.equal(world.secrets.get('oauth-app/google/secret')?.value, CLIENT_SECRET)
  assert.ok(![...world.chat.values()].some((text) => text.includes('GOCSPX')), 'deleted')
  world.secrets.set('github', { value: 'from-oauth', updatedAt: world.now, sets: 1 })
  world.accepted.add('from-oauth')
  outcomes[1]?.resolve({ kind: 'token', ref: { scheme: 'oauth', name: 'github' } })
  await stored
  await settle()
  assert.equal(setup.view()?.phase, 'connected')
  const made = world.definitions.get(parseServerId('github'))
  assert.deepEqual(made?.auth, { GITHUB_TOKEN: 'oauth:github' })
})

test('a client that does not help is asked for once; then a token can be sent', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage('none')
  const setup = world.open({ acquirer })
  const begun = send(world, setup, 'connect github')
  await settle()
  const public1 = { ...client, hasSecret: false }
  outcomes[0]?.resolve({ kind: 'unavailable', reason: 'none', isSetUp: false, client: public1 })
  await begun
  const stored = send(world, setup, CLIENT_ID)
  await settle()
  outcomes[1]?.resolve({ kind: 'unavailable', reason: 'none', isSetUp: false, client: public1 })
  assert.match((await stored) ?? '', /^I need your GitHub token\./)
})

test('where a token can be typed, a server that knows no client is told about, and no client asked for', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage('none')
  const [, , known] = CATALOG.services
  const setup = world.open({ acquirer, catalog: { ...CATALOG, find: () => known } })
  const begun = send(world, setup, 'connect github')
  await settle()
  const failed = {
    kind: 'unavailable',
    reason: 'it knows no client',
    next: 'Register one',
  } as const
  outcomes[0]?.resolve({ ...failed, client })
  assert.match(
    (await begun) ?? '',
    /it knows no client\. Register one.*\nI need your GitHub token/s,
  )
})
