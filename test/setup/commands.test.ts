/** The messages that start a connection, the service each resolves to, and the messages that setup does not take. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundService, Registries } from '../../src/ports/catalog-port.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { OwnedSetup } from '../../src/setup/create-setup.ts'
import { service } from './fake-services.ts'
import { createWorld, messageIn, NEVER, notion, settle, textOf, type World } from './fake-world.ts'

const GOOD = 'ntn_265011aBcDeFgHiJkLmNoPqRsTuVwXyZ'

async function send(world: World, setup: OwnedSetup, text: string): Promise<string | undefined> {
  const answer = textOf(await setup.take(messageIn(world, text), NEVER))
  await settle()
  return answer
}

for (const text of [
  'connect notion',
  'Connect Notion',
  'add notion',
  'setup notion',
  'set up notion!',
  'integrate notion',
  'enable notion, please',
  'connect to my notion',
]) {
  test(`${JSON.stringify(text)} starts a flow`, async () => {
    const world = createWorld()
    assert.match((await send(world, world.open(), text)) ?? '', /^I need your Notion token/)
  })
}

for (const text of [
  'add milk to my list',
  'enable dark mode',
  'set up a meeting with John',
  'add https://example.com to my reading list',
  'connect the dots between these three mails',
  'connect',
  'notion',
]) {
  test(`${JSON.stringify(text)} is no connect command`, async () => {
    const world = createWorld()
    assert.equal(await send(world, world.open(), text), undefined)
  })
}

test('a name nobody knows is answered with a way forward', async () => {
  const world = createWorld()
  const answer = await send(world, world.open(), 'connect nothing')
  assert.equal(
    answer,
    'Cannot find a service called "nothing"; did you mean notion? Is there an MCP server package for it on npm? If not, I can use a generic HTTP server. Say `connect npx PACKAGE` for a package, `connect DOMAIN` for the generic server.',
  )
})

test('what a service asks for is not taken behind its name, and is not repeated', async () => {
  const world = createWorld()
  const answer = await send(world, world.open(), 'connect notion hunter2')
  assert.equal(
    answer,
    'Cannot find a service of that name; its first word names Notion. Say `connect notion`: it asks for what it needs.',
  )
})

test('a sentence with a domain is answered with how to use the generic server for it', async () => {
  const world = createWorld()
  const setup = world.open()
  const answer = await send(world, setup, 'Connect to our internal tracker at track.example.com')
  assert.match(
    answer ?? '',
    /If not, I can use a generic HTTP server\. .*`connect track\.example\.com`/,
  )
  assert.equal(await send(world, setup, 'connect track.example.com'), 'Connecting to track...')
  assert.equal(setup.view()?.phase, 'connected')
  const [definition] = world.definitions.values()
  assert.deepEqual(definition?.allowedDomains, ['track.example.com'])
})

test('R26: "No, just use generic" and the name of a package answer the question about an unknown service', async () => {
  for (const text of ['No, just use generic', 'no', 'use the generic one, please']) {
    const world = createWorld()
    const setup = world.open()
    assert.equal(await send(world, setup, text), undefined)
    await send(world, setup, 'Connect to our internal tracker at track.example.com')
    assert.equal(await send(world, setup, text), 'Connecting to track...')
    assert.deepEqual([...world.definitions.values()][0]?.allowedDomains, ['track.example.com'])
    assert.equal(await send(world, setup, text), undefined)
  }
  for (const text of ['Yes, @acme/track', '@acme/track', 'yes: track', 'track-mcp']) {
    const world = createWorld()
    const setup = world.open()
    await send(world, setup, 'connect our tracker at track.example.com')
    await send(world, setup, text)
    assert.match(setup.view()?.title ?? '', /^(?:@acme\/)?track/, text)
  }
})

test('R26: other messages pass by the question, which ends after ten minutes or with another command', async () => {
  const world = createWorld()
  const setup = world.open()
  await send(world, setup, 'connect nothing')
  assert.match(
    (await send(world, setup, 'just use generic')) ?? '',
    /needs the address of the site/,
  )
  for (const text of ['thanks', 'what is an npm package?', 'yes', `no ${'and so on '.repeat(9)}`]) {
    assert.equal(await send(world, setup, text), undefined, text)
  }
  await send(world, setup, 'connect notion')
  await send(world, setup, 'cancel')
  assert.equal(await send(world, setup, 'just use generic'), undefined)
  await send(world, setup, 'connect our tracker at track.example.com')
  world.now += 10 * 60_000 + 1
  assert.equal(await send(world, setup, 'just use generic'), undefined)
})

test('a look-alike of a known name is refused, and the real one is named', async () => {
  const world = createWorld()
  const setup = world.open()
  for (const text of ['connect n0tion', 'connect npx n0tion']) {
    assert.match(
      (await send(world, setup, text)) ?? '',
      /it passes for Notion and is not it\. Say `connect notion`/,
    )
  }
  assert.equal(setup.view(), undefined)
})

test('a package under the name of a known service does not get its place or its token', async () => {
  const world = createWorld()
  world.secrets.set('notion_token', { value: GOOD, updatedAt: 0, sets: 1 })
  const setup = world.open()
  assert.match((await send(world, setup, 'connect npx @evil/notion')) ?? '', /passes for Notion/)
  // Under another name the package gets a token of its own, stored under another name.
  assert.match(
    (await send(world, setup, 'connect npx @evil/notes')) ?? '',
    /^I need your notes token/,
  )
  await send(world, setup, 'some-other-token-1234567890')
  assert.equal(world.secrets.get('notion_token')?.value, GOOD)
  assert.equal(world.secrets.get('notes.notion_token')?.value, 'some-other-token-1234567890')
})

test('a package does not take the name of a server that is there', async () => {
  const world = createWorld()
  world.definitions.set(parseServerId('notes'), { command: 'node', args: ['/mine.js'] })
  const setup = world.open()
  assert.match(
    (await send(world, setup, 'connect npx @evil/notes')) ?? '',
    /there is another server called "notes"/,
    'before anything is asked',
  )
  assert.deepEqual(world.definitions.get(parseServerId('notes'))?.args, ['/mine.js'])
})

test("one's own server is connected by what its definition says", async () => {
  const world = createWorld()
  const mine = parseServerId('mine')
  const before = {
    name: 'Acme Desk',
    command: 'node',
    args: ['/mine.js'],
    auth: { KEY: 'vault:k' },
  }
  world.definitions.set(mine, before)
  const setup = world.open()
  assert.match(
    (await send(world, setup, 'connect acme desk')) ?? '',
    /^I need your Acme Desk token/,
  )
  await send(world, setup, 'some-token-1234567890')
  assert.equal(world.secrets.get('k')?.value, 'some-token-1234567890')
  assert.deepEqual(world.definitions.get(mine), before)
  assert.ok(!world.steps.includes('install'))
  assert.match(world.outbox.at(-1) ?? '', /^✓ Acme Desk connected/)
})

test('a server that was imported under another secret is found, and brought up to date', async () => {
  const world = createWorld()
  world.accepted.add(GOOD)
  world.secrets.set('claude_notion', { value: GOOD, updatedAt: 0, sets: 1 })
  world.definitions.set(notion, {
    label: 'sensitive',
    command: 'npx',
    args: ['-y', '@test/notion'],
    auth: { NOTION_TOKEN: 'vault:claude_notion' },
  })
  const setup = world.open()
  await send(world, setup, 'connect notion')
  assert.equal(setup.view()?.phase, 'connected')
  assert.deepEqual(world.definitions.get(notion), {
    label: 'sensitive',
    command: 'node',
    args: ['/packages/x/index.js'],
    allowedDomains: ['api.notion.test'],
    auth: { NOTION_TOKEN: 'vault:claude_notion' },
    env: { DO_NOT_TRACK: '1' },
    package: {
      kind: 'npm',
      identifier: '@test/notion',
      version: '1.2.3',
      integrity: 'sha512-x',
    },
  })
})

test('the hosts that its owner chose for a server stay as they are', async () => {
  const world = createWorld()
  world.accepted.add(GOOD)
  world.secrets.set('notion_token', { value: GOOD, updatedAt: 0, sets: 1 })
  world.definitions.set(notion, { command: 'npx', allowedDomains: ['proxy.example.com'] })
  const setup = world.open()
  await send(world, setup, 'connect notion')
  assert.equal(setup.view()?.phase, 'connected')
  assert.deepEqual(world.definitions.get(notion)?.allowedDomains, ['proxy.example.com'])
})

test('a definition that was there is as before when the flow fails', async () => {
  const world = createWorld()
  world.odd.call = () => ({ kind: 'failed', reason: 'out of order' })
  world.secrets.set('notion_token', { value: GOOD, updatedAt: 0, sets: 1 })
  world.definitions.set(notion, {
    command: 'node',
    args: ['/old.js'],
    allowedDomains: ['proxy.example.com'],
  })
  const setup = world.open()
  await send(world, setup, 'connect notion')
  assert.equal(setup.view()?.phase, 'failed')
  const { command, args, allowedDomains } = world.definitions.get(notion) ?? {}
  assert.deepEqual([command, args, allowedDomains], ['node', ['/old.js'], ['proxy.example.com']])
})

test('a service that only a registry knows is listed, and connected by its full name', async () => {
  const world = createWorld()
  const title = 'Jokes'
  const found: FoundService = {
    service: service(title, {
      origin: 'official',
      source: { kind: 'official', name: 'io.example/jokes' },
    }),
    badge: 'Official',
    verified: false,
    auth: 'none',
  }
  const registries: Pick<Registries, 'search'> = {
    search: async () => ({ found: [found], notices: [] }),
  }
  const setup = world.open({ registries })
  assert.match(
    (await send(world, setup, 'connect jokes')) ?? '',
    /The registries have io\.example\/jokes\..*`connect registry:io\.example\/jokes`/,
  )
  assert.equal(
    await send(world, setup, 'connect registry:IO.example/jokes'),
    'Connecting to Jokes...',
  )
  assert.equal(await send(world, setup, 'connect io.example/jokes'), 'Connecting to Jokes...')
})

test('a registry that is down is no dead end', async () => {
  const world = createWorld()
  const registries: Pick<Registries, 'search'> = {
    search: async () => {
      throw new CordonError('catalog.registry', { exit: 5, hint: 'Try later' }, 'Cannot reach it')
    },
  }
  const setup = world.open({ registries })
  assert.match((await send(world, setup, 'connect jokes')) ?? '', /generic HTTP server/)
  await assert.rejects(setup.connect('jokes', {}, NEVER), { code: 'setup.unknown-service' })
})
