/** Names that a server of this home already has: which server a message means, and early refusals. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { OwnedSetup } from '../../src/setup/create-setup.ts'
import { GOOD, openChat } from './fake-chat.ts'
import { loadedOf } from './fake-server.ts'
import { createWorld, messageIn, NEVER, notion, textOf } from './fake-world.ts'

test('two sites of one name are two servers: the second does not take the place of the first', async () => {
  const { world, setup, send } = openChat()
  await send('connect desk.mycompany.com')
  assert.equal(setup.view()?.phase, 'connected')
  const before = structuredClone([...world.definitions])
  assert.match(
    (await send('connect desk.other.com')) ?? '',
    /there is another server called "desk"/,
  )
  assert.deepEqual([...world.definitions], before)
  await send('connect desk.mycompany.com')
  assert.equal(setup.view()?.phase, 'connected')
})

test("a remote server of one's own under a known name is meant by that name, and gets no program", async () => {
  const { world, setup, send } = openChat()
  const remote = { transport: 'stream-http', url: 'https://mcp.notion.test/mcp' } as const
  world.definitions.set(notion, remote)
  await send('connect notion')
  assert.equal(setup.view()?.phase, 'connected')
  assert.deepEqual(world.definitions.get(notion), remote)
})

test('a server of the system scope is not offered for replacement: its file cannot be written', async () => {
  const world = createWorld()
  const { definitions } = world.rooms()
  const mine = parseServerId('mine')
  const inSystem = (auth: Readonly<Record<string, string>>): OwnedSetup => {
    const known = loadedOf(notion, { command: 'node', args: ['/x.js'] })
    const own = loadedOf(mine, { command: 'node', args: ['/y.js'], auth })
    const servers = [known, own].map((one) => ({ ...one, scope: 'system' as const }))
    return world.open({
      definitions: { ...definitions, load: async () => ({ servers, problems: [] }) },
    })
  }
  const connectIn = async (setup: OwnedSetup, text: string): Promise<string | undefined> =>
    textOf(await setup.take(messageIn(world, text), NEVER))
  const answer = await connectIn(inSystem({}), 'connect notion')
  assert.match(answer ?? '', /its definition in "\/mcp\/notion\.toml" is not yours to change/)
  assert.match(
    (await connectIn(inSystem({ KEY: 'file:/etc/key' }), 'connect mine')) ?? '',
    /is not yours to change/,
  )
  assert.match(
    (await connectIn(inSystem({ KEY: 'vault:k' }), 'connect mine')) ?? '',
    /^I need your mine token/,
    'it can be stored where the definition says',
  )
})

test("one's own server is found by its id before another's title", async () => {
  const { world, send } = openChat()
  const [first, second] = [parseServerId('aaa'), parseServerId('desk')]
  world.definitions.set(first, { name: 'desk', command: 'node', auth: { KEY: 'vault:first' } })
  world.definitions.set(second, { name: 'Other', command: 'node', auth: { KEY: 'vault:second' } })
  assert.match((await send('connect desk')) ?? '', /^I need your Other token/)
})

test('another version of a known package is pasted: the chat says which one runs, with the pasted arguments', async () => {
  const { world, send } = openChat({ catalog: createCatalog() })
  const line = 'npx -y @notionhq/notion-mcp-server@2.4.0 --flag'
  const answer = await send(`connect ${line}`)
  assert.match(answer ?? '', /Cordon uses version 2\.5\.2, the one it knows\./)
  world.accepted.add(GOOD)
  await send(GOOD)
  assert.deepEqual(world.definitions.get(notion)?.args, ['/packages/x/index.js', '--flag'])
  await send('cancel')
  assert.doesNotMatch((await send('connect github')) ?? '', /archived/)
})
