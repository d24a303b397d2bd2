/** Connections from the first message to the last, in a world of fakes: replies, secrets and servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BAD, GOOD, KEPT, openChat } from './fake-chat.ts'
import { messageIn, NEVER, notion, settle, textOf } from './fake-world.ts'

test('the whole trace: connect, paste, stored, deleted, started, verified, connected', async () => {
  const { world, setup, send } = openChat()
  assert.equal(
    await send('connect notion'),
    "I need your Notion token. notion.so/profile/integrations → Create → Copy secret. Paste it here. I'll delete the message immediately.",
  )
  assert.equal(await send(GOOD), 'Credential stored. Connecting to Notion...')
  assert.equal(world.secrets.get('notion_token')?.value, GOOD)
  assert.deepEqual([...world.chat.values()], ['connect notion'])
  assert.deepEqual(world.running.get(notion), [GOOD])
  assert.deepEqual(world.outbox, [
    'Installed @test/notion 1.2.3 by tester, published 14 days ago: 3.0 MB in 12 packages.\nInstall scripts were refused: esbuild. If it lacks a part of esbuild, `--allow-scripts` runs them in a sandbox without network.',
    '✓ Notion connected. 2 tools available.',
  ])
  assert.deepEqual(world.definitions.get(notion), {
    name: 'Notion',
    description: 'Notion, for tests',
    label: 'internal',
    allowedDomains: ['api.notion.test'],
    memoryLimit: '512m',
    enabled: true,
    command: 'node',
    args: ['/packages/x/index.js'],
    auth: { NOTION_TOKEN: 'vault:notion_token' },
    env: { DO_NOT_TRACK: '1' },
    source: { kind: 'catalog', name: 'notion' },
    package: {
      kind: 'npm',
      identifier: '@test/notion',
      version: '1.2.3',
      integrity: 'sha512-x',
    },
  })
  assert.equal(setup.view()?.phase, 'connected')
  assert.equal(world.notes.size, 0)
  assert.equal(await send('search notion for the design doc'), undefined)
})

test('the effects of a paste come in the one order that survives a crash', async () => {
  const { world, send } = openChat()
  await send('connect notion')
  world.steps.length = 0
  await send(GOOD)
  assert.deepEqual(world.steps.slice(0, 7), [
    'note setup.deletion',
    'note setup.flow',
    'set notion_token',
    'delete',
    'unnote setup.deletion',
    'unnote setup.account',
    'note setup.flow',
  ])
  assert.ok(world.steps.indexOf('add notion') < world.steps.indexOf('start notion'))
})

test('an ordinary message passes by while a credential is awaited, and the flow stays', async () => {
  const { setup, send } = openChat()
  await send('connect notion')
  for (const text of [
    'what is the weather?',
    'ok',
    'https://www.notion.so/profile/integrations',
    'add milk to my list',
  ]) {
    assert.equal(await send(text), undefined, text)
  }
  assert.equal(setup.view()?.phase, 'awaiting-credential')
})

for (const word of ['cancel', 'Nevermind', ' SKIP ', 'abort']) {
  test(`${JSON.stringify(word)} ends the flow, and nothing of it remains`, async () => {
    const { world, setup, send } = openChat()
    await send('connect notion')
    assert.equal(await send(word), 'Notion setup cancelled.')
    assert.equal(setup.view()?.phase, 'cancelled')
    assert.equal(world.notes.size, 0)
    assert.equal(await send(word), undefined)
  })
}

test('a token that does not work is asked for again, and the next one connects', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  await send(BAD)
  assert.equal(
    world.outbox.at(-1),
    "The Notion token doesn't work (API token is invalid). Send a new token, or 'cancel'.",
  )
  assert.equal(setup.view()?.trouble, 'token-refused')
  assert.equal(world.running.size, 0, 'nothing runs with a token that does not work')
  await send(GOOD)
  assert.equal(world.outbox.at(-1), '✓ Notion connected. 2 tools available.')
  assert.deepEqual(world.running.get(notion), [GOOD], 'the server was started anew')
  assert.equal(setup.view()?.phase, 'connected')
})

test('three tokens that do not work end the flow; the credential stays, the definition too, disabled', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  for (const digit of ['1', '2', '3']) await send(BAD.replace('ntn_0', `ntn_${digit}`))
  assert.match(
    world.outbox.at(-1) ?? '',
    /^Notion setup failed after 3 attempts: .*\. Cancelled\.$/,
  )
  assert.equal(setup.view()?.phase, 'failed')
  assert.equal(world.definitions.get(notion)?.enabled, false)
  assert.equal(world.running.size, 0)
  assert.equal(world.notes.size, 0)
  assert.ok(world.secrets.has('notion_token'))
})

test('ten minutes without an answer end the flow', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  await world.advance(10 * 60_000 - 1)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  await world.advance(1)
  assert.equal(setup.view()?.phase, 'cancelled')
  assert.equal(
    world.outbox.at(-1),
    "Notion setup timed out after 10 minutes. Say 'connect notion' to start again.",
  )
  assert.equal(world.notes.size, 0)
  assert.match((await send(GOOD)) ?? '', /did not store it/, 'a late token does not revive it')
  assert.equal(world.secrets.size, 0)
})

test('a new prompt has ten minutes of its own', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  await world.advance(9 * 60_000)
  await send(BAD)
  await world.advance(9 * 60_000)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  await world.advance(60_000)
  assert.equal(setup.view()?.phase, 'cancelled')
  assert.equal(world.definitions.size, 0)
})

test('the time that work takes is not taken from the next prompt', async () => {
  const { world, setup, send } = openChat()
  const gate = Promise.withResolvers<void>()
  world.odd.install = () => gate.promise
  await send('connect notion')
  await send(BAD)
  await world.advance(9 * 60_000)
  gate.resolve()
  await settle()
  await world.advance(9 * 60_000)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
})

test('a server that runs already is ended before the new token is tried', async () => {
  const { world, send } = openChat()
  world.definitions.set(notion, { command: 'node', args: ['/packages/x/index.js'] })
  world.running.set(notion, ['what it was started with long ago'])
  await send('connect notion')
  await send(GOOD)
  assert.deepEqual(world.running.get(notion), [GOOD])
})

test('a credential that is in the vault already is used without asking', async () => {
  const { world, send } = openChat()
  world.secrets.set('notion_token', { value: GOOD, updatedAt: 0, sets: 1 })
  assert.equal(await send('connect notion'), 'Credential stored. Connecting to Notion...')
  assert.equal(world.outbox.at(-1), '✓ Notion connected. 2 tools available.')
})

test('a second connect cancels the first', async () => {
  const { setup, send } = openChat()
  await send('connect notion')
  const first = setup.view()
  const answer = await send('connect slack')
  assert.match(answer ?? '', /^Notion setup cancelled\.\nI need your Slack token\./)
  assert.equal(setup.view()?.service, 'slack')
  assert.equal((await setup.follow(first?.connection ?? '', 0, NEVER)).phase, 'cancelled')
})

test('a server that does not start fails the flow with its reason, and keeps its definition, disabled', async () => {
  const { world, setup, send } = openChat()
  world.odd.start = () => {
    throw new Error('a bug')
  }
  await send('connect notion')
  await send(GOOD)
  assert.equal(
    world.outbox.at(-1),
    `Failed to start Notion server: something unexpected went wrong; see the log${KEPT}`,
  )
  assert.equal(setup.view()?.phase, 'failed')
  assert.equal(world.definitions.get(notion)?.enabled, false)
})

test('an error of the server is not blamed on the token', async () => {
  const { world, setup, send } = openChat()
  world.odd.call = () => ({ kind: 'failed', reason: 'The server answered with HTTP status 500' })
  await send('connect notion')
  await send(GOOD)
  assert.equal(
    world.outbox.at(-1),
    `Failed to start Notion server: The server answered with HTTP status 500${KEPT}`,
  )
  assert.equal(setup.view()?.phase, 'failed')
})

test('several credentials are asked for one after the other; what is optional is not', async () => {
  const { world, setup, send } = openChat()
  const bot = 'xoxb-1234-abcdefgh'
  world.accepted.add(bot)
  await send('connect slack')
  assert.equal(await send(bot), 'I need your Slack team id. Send it here.')
  assert.equal(await send('and what about the weather'), undefined)
  assert.equal(setup.view()?.question?.isSecret, false)
  assert.equal(await send('T0ABCDEF'), 'Credential stored. Connecting to Slack...')
  const definition = [...world.definitions.values()][0]
  assert.deepEqual(definition?.env, { SLACK_TEAM_ID: 'T0ABCDEF' })
  assert.deepEqual(definition?.auth, { SLACK_BOT_TOKEN: 'vault:slack_bot_token' })
  assert.equal(setup.view()?.phase, 'connected')
})

test('a service without credentials connects at once', async () => {
  const { world, send } = openChat()
  assert.equal(await send('connect weather'), 'Connecting to Weather...')
  assert.equal(world.outbox.at(-1), '✓ Weather connected. 2 tools available.')
})

test('without a test tool in the catalog, only a tool marked as read is used to verify', async () => {
  const { world, send } = openChat()
  world.tools = ['wipe', 'unknown', 'list']
  world.accepted.add('token-of-a-calendar')
  await send('connect calendar')
  await send('token-of-a-calendar')
  assert.deepEqual(
    world.steps.filter((step) => step.startsWith('call')),
    ['call list'],
  )
  assert.equal(world.outbox.at(-1), '✓ Calendar connected. 3 tools available.')
})

test('verification never calls a tool that the catalog does not call a read', async () => {
  const { world, send } = openChat()
  world.tools = ['delete_everything']
  await send('connect notion')
  await send(GOOD)
  assert.ok(!world.steps.some((step) => step.startsWith('call')))
  assert.match(world.outbox.at(-1) ?? '', /^✓ Notion connected\. 1 tool available\.\nNothing/)
})

test('a form on this machine is offered, and a tunnel to it where the person is elsewhere', async () => {
  const form = 'http://localhost:19275/credential/notion'
  const { world, setup, send } = openChat({ formUrl: () => form })
  assert.equal(
    await send('connect notion'),
    `I need your Notion token. notion.so/profile/integrations → Create → Copy secret.\nEnter your token securely: ${form}\nOr just paste it here. I'll delete the message immediately.`,
  )
  const remote = textOf(
    await setup.take(messageIn(world, 'connect notion', { isRemote: true }), NEVER),
  )
  assert.match(remote ?? '', /private chat.*ssh -L 19275:localhost:19275/s)
  assert.equal(setup.view()?.question?.form, form)
})

test('a terminal drives the same flow: connect, provide, follow', async () => {
  const { world, setup } = openChat()
  const asked = await setup.connect('notion', {}, NEVER)
  assert.equal(asked.phase, 'awaiting-credential')
  assert.deepEqual(asked.question, {
    title: 'token',
    isSecret: true,
    sentence: 'Your Notion token is needed.',
    inChat:
      'I need your Notion token. notion.so/profile/integrations → Create → Copy secret. Paste it here.',
    where: 'notion.so/profile/integrations → Create → Copy secret',
  })
  await assert.rejects(setup.provide(asked.connection, 'secret with spaces'), {
    code: 'setup.unusable',
  })
  await assert.rejects(setup.provide(asked.connection, 'something-else'), /starting with 'ntn_'/)
  let view = await setup.provide(asked.connection, ` ${GOOD}\n`)
  while (!['connected', 'failed'].includes(view.phase)) {
    view = await setup.follow(view.connection, view.version, NEVER)
  }
  assert.equal(view.said.at(-1), '✓ Notion connected. 2 tools available.')
  assert.deepEqual(world.outbox, [], 'a terminal is told by its view')
  await assert.rejects(setup.provide(asked.connection, GOOD), { code: 'setup.not-asking' })
  await assert.rejects(setup.follow('nothing', 0, NEVER), { code: 'setup.unknown-flow' })
})
