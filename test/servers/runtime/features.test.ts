/** Resources, prompts, completion, subscriptions and logging of real processes, in both eras. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeatureEvent } from '../../../src/ports/feature-port.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import type { ToolResult } from '../../../src/kernel/tool-call.ts'
import { until } from '../../fixtures/until.ts'
import { define, never, openHouse } from './direct-sandbox.ts'

const notes = parseServerId('notes')
const ERAS = ['legacy', 'modern'] as const

const textIn = (result: ToolResult): string => {
  assert.equal(result.kind, 'ok', JSON.stringify(result))
  return JSON.stringify(result.kind === 'ok' && result.value)
}

for (const era of ERAS) {
  test(`${era}: lists are read page by page, cleaned, and come without words to models`, async () => {
    await using house = await openHouse([define('notes', `features ${era}`)])
    const { features } = house.servers
    const listed = await features.list(notes, 'resources', never)
    assert.deepEqual(
      listed.map(({ uri }) => uri),
      ['notes://note/one', 'notes://note/two', 'ui://notes/view'],
    )
    const [shown] = await features.listings('resources', never)
    assert.equal(shown?.server, 'notes')
    assert.deepEqual(
      shown?.items.map(({ description }) => description),
      ['A note', undefined, undefined],
    )
    const [templates] = await features.listings('templates', never)
    assert.equal(templates?.items[0]?.['uriTemplate'], 'notes://note/{id}')
    const [prompts] = await features.listings('prompts', never)
    assert.deepEqual(
      prompts?.items.map(({ name, description }) => [name, description]),
      [
        ['greet', 'Greets somebody'],
        ['trap', undefined],
      ],
    )
    assert.match((await features.instructions(notes)) ?? '', /^Read notes first/)
  })

  test(`${era}: a resource, a prompt and a completion are calls of their server`, async () => {
    const auth = { TOKEN: { scheme: 'vault', name: 'token' } } as const
    const secrets = { token: 'hunter2-hunter2-hunter2' }
    await using house = await openHouse([define('notes', `features ${era}`, { auth })], { secrets })
    const one = await house.call('notes', '~read-resource', { uri: 'notes://note/one' })
    assert.ok(one.kind === 'ok')
    assert.deepEqual(one.value, {
      contents: [{ uri: 'notes://note/one', mimeType: 'text/plain', text: 'first note' }],
    })
    assert.equal(one.label.integrity, 'external')
    assert.deepEqual([...one.label.origins], ['notes'])
    const two = textIn(await house.call('notes', '~read-resource', { uri: 'notes://note/two' }))
    assert.doesNotMatch(two, /hunter2/)
    const view = textIn(await house.call('notes', '~read-resource', { uri: 'ui://notes/view' }))
    assert.match(view, /"_meta":\{"ui":/)
    const gone = await house.call('notes', '~read-resource', { uri: 'notes://note/none' })
    assert.ok(gone.kind === 'failed' && /There is no notes/.test(gone.reason))
    const greeting = await house.call('notes', '~get-prompt', {
      name: 'greet',
      arguments: { who: 'Ada' },
    })
    assert.match(textIn(greeting), /Say hello to Ada/)
    const ref = { type: 'ref/prompt', name: 'greet' }
    const completed = await house.call('notes', '~complete', {
      ref,
      argument: { name: 'who', value: 'a' },
    })
    assert.match(textIn(completed), /\["anna"\]/)
    const odd = await house.call('notes', '~read-resource', { uri: 'x', more: 1 })
    assert.ok(odd.kind === 'refused' && odd.rule === 'tool.arguments')
  })

  test(`${era}: news of a subscribed resource and of lists is told, a flood of it once`, async () => {
    await using house = await openHouse([define('notes', `features ${era}`)])
    const { features } = house.servers
    const seen: FeatureEvent[] = []
    using _watching = features.watch((event) => seen.push(event))
    const uri = 'notes://note/one'
    await house.servers.start(notes, never)
    await house.call('notes', 'touch', { id: 'one' })
    await house.call('notes', '~subscribe-resource', { uri })
    await house.call('notes', 'touch', { id: 'one' })
    await until(() => seen.some(({ kind }) => kind === 'updated'))
    const isUpdate = ({ kind }: FeatureEvent): boolean => kind === 'updated'
    assert.equal(seen.filter(isUpdate).length, 1)
    // The list of the modern era may still be opening its subscription.
    seen.length = 0
    await until(async () => {
      await house.call('notes', 'grow', { times: 500 })
      return seen.some(({ kind }) => kind === 'resources')
    })
    await until(async () =>
      (await features.list(notes, 'resources', never)).some(({ name }) => name === 'grown-2'),
    )
    assert.ok(seen.filter(({ kind }) => kind === 'resources').length < 50)
    await features.unsubscribe(notes, uri)
  })

  test(`${era}: log messages of the wanted level are in the log, and those below are not asked for`, async () => {
    await using house = await openHouse([define('notes', `features ${era}`)])
    const { servers } = house
    await servers.features.setLogLevel(notes, 'error', never)
    await house.call('notes', 'say', { words: 'a trifle', at: 'warning' })
    await house.call('notes', 'say', { words: 'it \u001b[2Jburns', at: 'error' })
    const logged = async () => (await servers.logs(notes)).filter(({ from }) => from === 'log')
    await until(async () => (await logged()).length > 0)
    assert.deepEqual(
      (await logged()).map(({ text }) => text),
      ['error notes: it [2Jburns'],
    )
  })
}

test('a feature is judged as a read, by its sandbox as a local one, and never taken for a tool of its name', async () => {
  const open = { allowedDomains: ['api.example.com'] }
  await using house = await openHouse([
    define('notes', 'features'),
    define('web', 'features legacy web', open),
  ])
  const effect = async (server: string, name: string) =>
    (await house.servers.know({ server: parseServerId(server), name }, never)).effect
  assert.equal(await effect('notes', '~read-resource'), 'local-read')
  assert.equal(await effect('web', '~read-resource'), 'remote-read')
  assert.equal(await effect('web', '~get-prompt'), 'remote-read')
  assert.equal(await effect('web', 'read-resource'), 'destructive')
  const facts = await house.servers.know({ server: notes, name: '~read-resource' }, never)
  assert.equal(facts.roles.get('uri'), 'target')
  const real = await house.call('notes', 'read-resource', { uri: 'notes://note/one' })
  assert.match(textIn(real), /the real tool was asked/)
  assert.equal(
    (await house.servers.tools(notes)).some(({ name }) => name.startsWith('~')),
    false,
  )
})

test('the owner can switch a feature off, and a quarantined server gives out nothing', async () => {
  const tools = { '~get-prompt': { enabled: false } }
  await using house = await openHouse([define('notes', 'features', { tools })])
  const know = async (name: string) => await house.servers.know({ server: notes, name }, never)
  assert.equal((await know('~get-prompt')).blocked, 'disabled')
  assert.equal((await know('~read-resource')).blocked, undefined)
  assert.equal((await house.call('notes', '~get-prompt', { name: 'greet' })).kind, 'refused')
  await house.servers.quarantine(notes)
  assert.equal((await know('~read-resource')).blocked, 'held')
  assert.deepEqual(await house.servers.features.listings('resources', never), [])
  const read = await house.call('notes', '~read-resource', { uri: 'notes://note/one' })
  assert.equal(read.kind, 'refused')
})

test('a resource above 10 MiB fails its own read alone; a smaller one arrives whole', async () => {
  await using house = await openHouse([define('notes', 'features')])
  const read = async (bytes: number) =>
    await house.call('notes', '~read-resource', { uri: `notes://note/big-${bytes}` })
  const large = await read(10 * 2 ** 20)
  assert.ok(large.kind === 'failed' && /10 MiB/.test(large.reason), JSON.stringify(large))
  const whole = await read(9 * 2 ** 20)
  assert.ok(whole.kind === 'ok' && JSON.stringify(whole.value).length > 9 * 2 ** 20)
  assert.equal(house.launches.length, 1)
})
