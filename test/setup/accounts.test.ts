/** Several accounts of one service: a server each, credentials each, and the catalog's knowledge for all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { splitAccount } from '../../src/setup/resolve/account.ts'
import { openChat } from './fake-chat.ts'
import { CATALOG } from './fake-services.ts'
import { createWorld, NEVER, notion, settle } from './fake-world.ts'
import { createStage, send } from './oauth-stage.ts'

const WORK = 'ntn_workworkworkworkworkwork1'
const HOME = 'ntn_homehomehomehomehomehome1'
const work = parseServerId('notion-work')

test('the account is the last word after "as", and nothing else is', () => {
  for (const [text, name, account] of [
    ['gmail as work', 'gmail', 'work'],
    ['Google Drive AS my Work account', 'Google Drive', 'Work'],
    [
      'https://mcp.example.com/mcp as ann@example.com',
      'https://mcp.example.com/mcp',
      'ann@example.com',
    ],
    ['npx -y @acme/maps --as x as home', 'npx -y @acme/maps --as x', 'home'],
    ['dots as soon as possible', 'dots as soon', 'possible'],
    ['gmail', 'gmail', undefined],
    ['as work', 'as work', undefined],
    ['{"a": "b as work', '{"a": "b as work', undefined],
  ] as const) {
    assert.deepEqual(splitAccount(text), { name, ...(account !== undefined && { account }) })
  }
  const long = `${' as'.repeat(200_000)} `
  assert.equal(splitAccount(long).account, 'as')
})

test('two accounts of one service are two servers, each with a credential of its own', async () => {
  const { world, setup, send } = openChat()
  for (const value of [WORK, HOME]) world.accepted.add(value)
  await send('connect notion')
  await send(HOME)
  assert.match(
    (await send('connect notion as work')) ?? '',
    /^I need your Notion \(work\) token\. notion\.so/,
    'what the other account has is not found, and the catalog says where the token is',
  )
  await send(WORK)
  assert.equal(setup.view()?.phase, 'connected')
  assert.equal(setup.view()?.title, 'Notion (work)')
  assert.match(setup.view()?.said.at(-1) ?? '', /Connected as `notion-work`\./)
  assert.deepEqual(world.running.get(notion), [HOME])
  assert.deepEqual(world.running.get(work), [WORK])
  const made = world.definitions.get(work)
  assert.deepEqual(made?.auth, { NOTION_TOKEN: 'vault:notion-work/NOTION_TOKEN' })
  assert.deepEqual(made?.source, { kind: 'catalog', name: 'notion' })
  assert.deepEqual(made?.env, { DO_NOT_TRACK: '1' })
})

test('an account is connected again by its own name, with what the catalog knows', async () => {
  const { world, setup, send } = openChat()
  world.accepted.add(WORK)
  await send('connect notion as work')
  await send(WORK)
  const before = structuredClone(world.definitions.get(work))
  const again = await setup.connect('notion-work', { again: true }, NEVER)
  assert.match(again.said.at(-1) ?? '', /^I need your Notion \(work\) token\. notion\.so/)
  world.accepted.add(HOME)
  await setup.provide(again.connection, HOME)
  await send('connect notion as work')
  assert.equal(world.secrets.get('notion-work/NOTION_TOKEN')?.value, HOME)
  assert.deepEqual({ ...world.definitions.get(work), auth: before?.auth }, before)
})

test('the option names an account like the words do; a token of the service is its own', async () => {
  const world = createWorld()
  world.accepted.add(WORK)
  const setup = world.open()
  const { connection, service } = await setup.connect('notion', { account: 'Work' }, NEVER)
  assert.equal(service, 'notion-work')
  await setup.provide(connection, WORK)
  assert.equal(world.secrets.get('notion-work/NOTION_TOKEN')?.value, WORK)
  const github = await setup.connect('github as work', {}, NEVER)
  await assert.rejects(setup.provide(github.connection, HOME), /it is a token of Notion/)
})

test('one package serves all accounts of a known service', async () => {
  const world = createWorld()
  const slugs: string[] = []
  const { packages } = world.rooms()
  const setup = world.open({
    packages: {
      async install(slug, ...rest) {
        slugs.push(slug)
        return await packages.install(slug, ...rest)
      },
    },
  })
  await setup.connect('weather as home', {}, NEVER)
  assert.deepEqual(new Set(slugs), new Set(['weather']))
})

test('a name that would make the account another service is refused, and so is no name', async () => {
  const catalog = createCatalog()
  const setup = createWorld().open({ catalog })
  const connect = (name: string): Promise<unknown> => setup.connect(name, {}, NEVER)
  await assert.rejects(
    connect('github as remote'),
    /"github-remote" is GitHub[^,]*, another service/,
  )
  await assert.rejects(connect('github as ../x'), /Cannot use that name for an account/)
  await assert.rejects(connect(`github as ${'x'.repeat(60)}`), /Cannot use that name/)
  const token = `ghp_${'aB3'.repeat(12)}`
  await assert.rejects(connect(`github as ${token}`), (error) => {
    assert.ok(error instanceof CordonError && !`${error.message}${error.hint}`.includes(token))
    return /it holds a token/.test(error.message)
  })
})

test('a server that is there under the name of an account is not replaced by it', async () => {
  const { world, send } = openChat()
  const other = {
    command: 'node',
    args: ['/x.js'],
    source: { kind: 'catalog', name: 'other' },
  } as const
  world.definitions.set(work, other)
  const answer = (await send('connect notion as work')) ?? ''
  assert.match(answer, /there is another server called "notion-work"/)
  assert.match(answer, /Say `connect notion as NAME` to have both/)
  assert.deepEqual(world.definitions.get(work), other)
})

test("an account of one's own remote server is a definition of its own", async () => {
  const { world, setup, send } = openChat()
  const desk = parseServerId('desk')
  const remote = { transport: 'stream-http', url: 'https://mcp.desk.test/mcp' } as const
  world.definitions.set(desk, remote)
  await send('connect desk as work')
  assert.equal(setup.view()?.phase, 'connected')
  assert.equal(world.definitions.get(parseServerId('desk-work'))?.url, remote.url)
  assert.deepEqual(world.definitions.get(desk), remote)
  world.definitions.set(desk, { command: 'node', args: ['/x.js'] })
  assert.match((await send('connect desk as home')) ?? '', /it is started as its file says/)
})

test('a sentence with "as" in it is no command', async () => {
  const { send } = openChat()
  assert.equal(await send('connect these two ideas as bullet points'), undefined)
  assert.equal(await send('connect the dots as soon as possible'), undefined)
})

const DONE = /✓ GitHub(?: \(work\))? connected\. 2 tools available\./

test('the name that a provider tells is quoted, kept, and tells two accounts apart', async () => {
  const world = createWorld()
  const { acquirer, outcomes } = createStage()
  const setup = world.open({ acquirer })
  const { accounts } = world.rooms()
  const signInAs = async (line: string, account: string | undefined): Promise<string> => {
    await send(world, setup, line)
    const name = setup.view()?.service ?? ''
    world.secrets.set(name, { value: `of ${name}`, updatedAt: world.now, sets: 1 })
    world.accepted.add(`of ${name}`)
    const told = account === undefined ? {} : { account }
    outcomes.at(-1)?.resolve({ kind: 'token', ref: { scheme: 'oauth', name }, ...told })
    await settle()
    assert.match(world.outbox.at(-1) ?? '', DONE)
    return world.outbox.at(-1) ?? ''
  }
  assert.match(
    await signInAs('connect github', 'ann "x"'),
    /\nThe provider says that the account is "ann \\"x\\""\.$/,
  )
  assert.match(
    await signInAs('connect github as work', 'ann "x"'),
    /That is the account of `github`, too: .* run `cordon connect github-work --again` in another terminal\.$/,
  )
  assert.equal(await accounts.find('github-work'), 'ann "x"')
  const again = await setup.connect('github-work', { again: true }, NEVER)
  assert.equal(again.service, 'github-work')
  outcomes.at(-1)?.resolve({ kind: 'token', ref: { scheme: 'oauth', name: 'github-work' } })
  await settle()
  assert.equal(await accounts.find('github-work'), undefined, 'an older name is not kept')
  assert.equal(await accounts.find('github'), 'ann "x"')
})

test('the test call of a known service names the account; a new credential drops the old name', async () => {
  const world = createWorld()
  const [known] = CATALOG.services
  const services = known ? [{ ...known, accountField: 'bot.workspace_name' }] : []
  const catalog = { ...CATALOG, services, find: () => services[0] }
  const setup = world.open({ catalog })
  const { accounts } = world.rooms()
  const answer = (workspace: unknown): void => {
    const value = { object: 'user', bot: { workspace_name: workspace } } as never
    world.odd.call = () => ({ kind: 'ok', value, label: LABEL })
  }
  answer('Acme')
  const { connection } = await setup.connect('notion', {}, NEVER)
  await setup.provide(connection, WORK)
  await settle()
  assert.match(setup.view()?.said.at(-1) ?? '', /The provider says that the account is "Acme"\.$/)
  assert.equal(await accounts.find('notion'), 'Acme')
  answer(7)
  const again = await setup.connect('notion', { again: true }, NEVER)
  await setup.provide(again.connection, HOME)
  await settle()
  assert.equal(setup.view()?.phase, 'connected')
  assert.equal(await accounts.find('notion'), undefined)
})

const LABEL = { integrity: 'external', level: 'internal', origins: new Set<string>() } as const
