/** A credential that is sent, in any chat and by any person: stored at most once, deleted, and never shown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import { BAD, GOOD, openChat } from './fake-chat.ts'
import { messageIn, NEVER, notion, settle, textOf } from './fake-world.ts'

test('SETUP-1: no record, note, view or word of Cordon ever holds the credential', async () => {
  const { world, setup, send } = openChat()
  const seen: string[] = []
  const watch = (): void => {
    seen.push(JSON.stringify([...world.notes.values(), setup.view(), world.audit, world.outbox]))
  }
  const put = world.notes.set.bind(world.notes)
  world.notes.set = (key, note) => {
    seen.push(note.content)
    return put(key, note)
  }
  for (const text of ['connect notion', `my token: ${BAD}`, BAD, GOOD]) {
    seen.push((await send(text)) ?? '')
    watch()
  }
  assert.equal(setup.view()?.phase, 'connected')
  assert.ok(seen.length > 10)
  for (const text of seen) assert.ok(!text.includes(BAD.slice(4)) && !text.includes(GOOD.slice(4)))
})

test('a vault that refuses keeps the question open, and the message goes all the same', async () => {
  const { world, setup, send } = openChat()
  world.odd.set = () => {
    throw new Error('disk full')
  }
  await send('connect notion')
  assert.match((await send(GOOD)) ?? '', /^Failed to store credential\./)
  assert.deepEqual([...world.chat.values()], ['connect notion'])
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  world.odd = {}
  await send(GOOD)
  assert.equal(setup.view()?.phase, 'connected')
})

test('SETUP-2: a message that cannot be deleted is said to be there, and tried again at the next start', async () => {
  const { world, setup, send } = openChat()
  world.odd.remove = () => false
  await send('connect notion')
  assert.match(
    (await send(GOOD)) ?? '',
    /^⚠️ Couldn't delete your token message\. Delete it manually\.\nCredential stored/,
  )
  assert.equal(setup.view()?.phase, 'connected')
  world.odd = {}
  await setup[Symbol.asyncDispose]()
  await world.open().resume()
  assert.deepEqual([...world.chat.values()], ['connect notion'])
  assert.equal(world.notes.size, 0)
})

test('a deletion is given up after 48 hours, with a last warning', async () => {
  const { world, setup, send } = openChat()
  world.odd.remove = () => false
  await send('connect notion')
  await send(GOOD)
  await setup[Symbol.asyncDispose]()
  world.now += 48 * 60 * 60_000 + 1
  await world.open().resume()
  assert.match(world.outbox.at(-1) ?? '', /Delete it manually/)
  assert.equal(world.notes.size, 0)
})

test('a token in pieces is explained, deleted and not stored', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  for (const text of [`${GOOD.slice(0, 20)}\n${GOOD.slice(20)}`, `here it is: ${GOOD}`]) {
    assert.match((await send(text)) ?? '', /spaces or line breaks/)
  }
  assert.deepEqual([...world.chat.values()], ['connect notion'])
  assert.equal(world.secrets.size, 0)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  await send(`  ${GOOD}\n`)
  assert.equal(world.secrets.get('notion_token')?.value, GOOD, 'white space around it is no harm')
})

test('a reply says whether what was sent may be kept', async () => {
  const { world, setup } = openChat()
  const wasSecret = async (text: string): Promise<boolean | undefined> => {
    // Without a message reference, as in a terminal: there is no message to delete.
    const reply = await setup.take({ principal: OWNER, text }, NEVER)
    await settle()
    return reply?.kind === 'text' ? reply.wasSecret === true : undefined
  }
  assert.equal(await wasSecret(GOOD), true, 'not asked for')
  assert.equal(await wasSecret('connect notion'), false)
  assert.equal(await wasSecret(`it is ${GOOD}`), true, 'in pieces')
  assert.equal(await wasSecret('hello there'), undefined)
  assert.equal(await wasSecret(GOOD), true, 'stored')
  assert.equal(world.secrets.size, 1)
})

test('a token of another service is neither stored nor sent anywhere', async () => {
  const { world, send } = openChat()
  await send('connect notion')
  const answer = await send('ghp_abcdefghijklmnopqrstuvwxyz012345')
  assert.match(answer ?? '', /looks like a token of GitHub/)
  assert.equal(world.secrets.size, 0)
  assert.deepEqual([...world.chat.values()], ['connect notion'])
})

test('a known token that nobody asked for is taken and deleted, also in the middle of a sentence', async () => {
  const { world, send } = openChat()
  for (const text of [GOOD, `use this: token=${GOOD} please`]) {
    assert.match((await send(text)) ?? '', /token of Notion.*Say 'connect notion'/)
  }
  assert.equal(world.chat.size, 0)
  assert.equal(world.secrets.size, 0)
  assert.equal(world.audit.filter(({ kind }) => kind === 'setup.token-caught').length, 2)
})

test('a token that is pasted while its predecessor is being tried is taken too, and not stored', async () => {
  const { world, send } = openChat()
  const gate = Promise.withResolvers<void>()
  world.odd.install = () => gate.promise
  await send('connect notion')
  await send(GOOD)
  for (const text of [BAD, 'of-no-known-shape-1234567890']) {
    assert.equal(await send(text), 'I am still connecting Notion, so I did not store that.')
  }
  assert.equal(await send('how long does this take?'), undefined)
  assert.deepEqual([...world.chat.values()], ['connect notion', 'how long does this take?'])
  gate.resolve()
  await settle()
  assert.equal(world.secrets.get('notion_token')?.value, GOOD)
  assert.equal(world.outbox.at(-1), '✓ Notion connected. 2 tools available.')
})

// Regression 15
test('principals other than the owner are refused in one sentence, and their tokens still go nowhere', async () => {
  const { world, setup } = openChat()
  const principal = { kind: 'cron', id: parsePrincipalId('principal:cron:digest') } as const
  const send = async (text: string): Promise<string | undefined> =>
    textOf(await setup.take({ ...messageIn(world, text), principal }, NEVER))
  assert.equal(await send('connect notion'), 'Only the owner of this Cordon can connect services.')
  assert.equal(
    await send('connect nobody-knows'),
    'Only the owner of this Cordon can connect services.',
  )
  assert.equal(await send('add milk to my list'), undefined)
  assert.doesNotMatch((await send(GOOD)) ?? 'connect', /connect/)
  assert.ok(![...world.chat.values()].includes(GOOD))
  assert.equal(setup.view(), undefined)
})

test('in a group nothing is connected, and a token is deleted, not stored', async () => {
  const { world, setup, send } = openChat()
  const inGroup = async (text: string): Promise<string | undefined> =>
    textOf(await setup.take(messageIn(world, text, { isGroup: true }), NEVER))
  assert.match((await inGroup('connect notion')) ?? '', /others read along/)
  assert.equal(setup.view(), undefined)
  await send('connect notion')
  assert.match((await inGroup(GOOD)) ?? '', /Others read along here/)
  assert.equal(world.secrets.size, 0)
  assert.ok(![...world.chat.values()].includes(GOOD))
  assert.equal(setup.view()?.phase, 'awaiting-credential')
})

test('a file that holds the token is named instead of copied', async () => {
  const { world, setup } = openChat()
  world.odd.call = () => ({
    kind: 'ok',
    value: {},
    label: { integrity: 'external', level: 'internal', origins: new Set() },
  })
  const { connection } = await setup.connect('notion', {}, NEVER)
  await setup.provide(connection, 'env:MY_NOTION')
  await settle()
  assert.deepEqual(world.definitions.get(notion)?.auth, { NOTION_TOKEN: 'env:MY_NOTION' })
  assert.equal(world.secrets.size, 0)
})

test('a pasted command with a token in it is deleted, and goes no further', async () => {
  const { world, setup, send } = openChat()
  for (const verb of ['connect', 'add']) {
    assert.equal(
      await send(`${verb} npx foo --api-key hunter2`),
      'Cannot use that line. Paste it again without the token.',
    )
  }
  assert.equal(world.chat.size, 0)
  assert.equal(setup.view(), undefined)
})

test('a token goes even when nothing can be written down any more', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  world.notes.set = () => {
    throw new CordonError('store.full', { exit: 5, hint: 'Free some space' }, 'Cannot write')
  }
  assert.equal(await send(GOOD), 'Cannot write. Free some space.')
  assert.ok(![...world.chat.values()].includes(GOOD))
  assert.equal(world.secrets.size, 0)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
})

test('a message to a connection during shutdown counts as secret, and is not stored', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  await setup[Symbol.asyncDispose]()
  const reply = await setup.take(messageIn(world, GOOD), NEVER)
  assert.ok(reply?.kind === 'text' && reply.wasSecret === true)
})

test('SETUP-2: one damaged note does not keep other messages from being deleted', async () => {
  const { world, setup, send } = openChat()
  const kind = 'setup.deletion'
  for (const content of ['nonsense', '{"message":7}']) {
    world.notes.set(`${kind}/${content}`, { kind, id: content, content })
  }
  world.odd.remove = () => false
  await send('connect notion')
  await send(GOOD)
  world.odd = {}
  await setup[Symbol.asyncDispose]()
  await world.open().resume()
  assert.deepEqual([...world.chat.values()], ['connect notion'])
  assert.equal(world.notes.size, 0)
})

test('a bot token of Discord is taken as its text says: with the word Bot before it', async () => {
  const { world, send } = openChat({ catalog: createCatalog() })
  const token = `Bot M${'Tk4'.repeat(8)}.GaBcDe.${'x1Y2'.repeat(8)}`
  assert.match((await send('connect discord')) ?? '', /with the word Bot and a space before it/)
  assert.match((await send(token)) ?? '', /Credential stored/)
  assert.equal(world.secrets.get('discord_token')?.value, token)
})
