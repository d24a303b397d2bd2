/** Everything of MCP besides tools, through the gateway, with real clients in both eras and over both transports. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { Client, Progress } from '@modelcontextprotocol/client'
import { openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

const WAYS = [
  { way: 'http', isModern: false },
  { way: 'http', isModern: true },
  { way: 'lines', isModern: false },
  { way: 'lines', isModern: true },
] as const

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): string =>
  (result.content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')

test('clients list and read resources, prompts and completions, in both eras and by both ways', async () => {
  await using cordon = openCordon()
  const servers = { notes: ['features', 'legacy', 'notes'], wiki: ['features', 'modern', 'wiki'] }
  const gateway = await openGateway(cordon, servers)
  for (const how of WAYS) {
    const client = await connect(gateway, how)
    const { resources } = await client.listResources()
    assert.deepEqual(
      resources.map(({ uri }) => uri).sort(),
      [
        'notes://note/one',
        'notes://note/two',
        'ui://cordon.notes/notes/view',
        'ui://cordon.wiki/wiki/view',
        'wiki://note/one',
        'wiki://note/two',
      ],
      JSON.stringify(how),
    )
    assert.ok(resources.every(({ description = '' }) => !/previous/.test(description)))
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate).sort(), [
      'notes://note/{id}',
      'wiki://note/{id}',
    ])
    for (const uri of ['notes://note/one', 'cordon://wiki/wiki://note/one']) {
      const { contents, _meta } = await client.readResource({ uri })
      assert.equal(_meta?.['notes.example/version'], 7)
      assert.deepEqual(contents, [{ uri, mimeType: 'text/plain', text: 'first note' }])
    }
    const view = await client.readResource({ uri: 'ui://cordon.notes/notes/view' })
    assert.deepEqual(view.contents[0]?._meta, { ui: { csp: { connectDomains: [] } } })
    assert.doesNotMatch(JSON.stringify(view), /"name":"notes"/)
    for (const uri of ['none://at/all', 'notes://note/gone']) {
      // The SDK reads the older number as the newer one, if the URI comes with it.
      await assert.rejects(client.readResource({ uri }), (error: { readonly code?: number }) =>
        [-32_602, -32_002].includes(error.code ?? 0),
      )
    }
    const { prompts } = await client.listPrompts()
    assert.deepEqual(prompts.map(({ name }) => name).sort(), [
      'notes__greet',
      'notes__trap',
      'wiki__greet',
      'wiki__trap',
    ])
    const prompt = await client.getPrompt({ name: 'wiki__greet', arguments: { who: 'Ada' } })
    assert.match(JSON.stringify(prompt.messages), /Say hello to Ada/)
    assert.equal(prompt._meta?.['notes.example/version'], 8)
    const ref = { type: 'ref/prompt', name: 'notes__greet' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'who', value: 'b' } })
    assert.deepEqual(completion.values, ['bert'])
    const template = { type: 'ref/resource', uri: 'wiki://note/{id}' } as const
    const ids = await client.complete({ ref: template, argument: { name: 'id', value: 'a' } })
    assert.deepEqual(ids.completion.values, ['anna'])
    await assert.rejects(client.getPrompt({ name: 'wiki__none' }), /no such prompt/)
    // A link that no list holds can be read under the name that the program was given.
    const linked = await client.callTool({ name: 'notes__link', arguments: {} })
    assert.match(JSON.stringify(linked.content), /"uri":"notes:\/\/note\/hidden"/)
    assert.equal(linked._meta?.['shade'], 'of undefined')
    assert.doesNotMatch(JSON.stringify(linked), /upstream/)
    const { tools } = await client.listTools()
    const drawn = tools.find(({ name }) => name === 'notes__link')
    assert.deepEqual(drawn?._meta, { ui: { resourceUri: 'ui://cordon.notes/notes/view' } })
    await client.close()
  }
})

test('list changes and updates reach clients over lines, the GET stream and subscriptions/listen', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  const uri = 'notes://note/one'
  for (const how of WAYS) {
    const seen: string[] = []
    const client = await connect(gateway, how, (one) => {
      one.setNotificationHandler(
        'notifications/resources/list_changed',
        () => void seen.push('resources'),
      )
      one.setNotificationHandler(
        'notifications/prompts/list_changed',
        () => void seen.push('prompts'),
      )
      one.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void seen.push(params.uri),
      )
    })
    if (how.isModern) {
      const filter = { resourcesListChanged: true, promptsListChanged: true }
      const asked = { ...filter, resourceSubscriptions: [uri, 'none://at/all'] }
      const { honoredFilter } = await client.listen(asked)
      assert.deepEqual(honoredFilter, { ...filter, resourceSubscriptions: [uri] })
    } else await client.subscribeResource({ uri })
    await client.callTool({ name: 'notes__touch', arguments: {} })
    await until(() => seen.includes(uri))
    // A flood of a thousand of each is told a few times at most.
    await client.callTool({ name: 'notes__grow', arguments: { times: 1000 } })
    await until(() => seen.includes('resources') && seen.includes('prompts'))
    assert.ok(seen.length < 20, String(seen.length))
    if (!how.isModern) await client.unsubscribeResource({ uri })
    await client.close()
  }
})

test('log messages are told with the call, from the level that the client wants on', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  for (const way of ['http', 'lines'] as const) {
    const seen: unknown[] = []
    const client = await connect(gateway, { way }, (one) => {
      one.setNotificationHandler('notifications/message', ({ params }) => void seen.push(params))
    })
    const say = async (words: string, at: string) =>
      await client.callTool({ name: 'notes__say', arguments: { words, at } })
    await say('unasked', 'error')
    await client.setLoggingLevel('warning')
    await say('too little', 'info')
    await say('heard', 'error')
    await until(() => seen.length > 0)
    assert.deepEqual(seen, [{ level: 'error', logger: 'notes', data: 'heard' }])
    await client.close()
  }
})

test('a client’s cancellation reaches the server, and its progress the client', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  let count = 0
  for (const how of WAYS) {
    const client = await connect(gateway, how)
    const stop = new AbortController()
    const told: Progress[] = []
    const waiting = client.callTool(
      { name: 'notes__wait', arguments: {} },
      { signal: stop.signal, onprogress: (progress) => void told.push(progress) },
    )
    await until(() => told.length > 0)
    assert.match(told[0]?.message ?? '', /25 %: waiting in/)
    assert.deepEqual([told[0]?.progress, told[0]?.total], [1, 4])
    stop.abort()
    await assert.rejects(waiting)
    count += 1
    await until(async () => {
      const asked = await client.callTool({ name: 'notes__cancelled', arguments: {} })
      return textOf(asked) === String(count)
    })
    await client.close()
  }
})

const ELICITS = { capabilities: { elicitation: { form: {}, url: {} } } }

const answering =
  (asked: unknown[] = []) =>
  (client: Client) =>
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params)
      return { action: 'accept', content: { colour: 'red' } }
    })

test('a server’s question reaches the client that can take it, in both eras, and its answer the server', async () => {
  await using cordon = openCordon()
  const servers = { notes: ['features', 'legacy', 'notes'], wiki: ['features', 'modern', 'wiki'] }
  const gateway = await openGateway(cordon, servers)
  for (const how of WAYS) {
    // Requests of the modern era over HTTP share a session, so that a second server could learn of the first.
    const isShared = how.way === 'http' && how.isModern
    for (const server of isShared ? ['wiki'] : ['notes', 'wiki']) {
      const asked: unknown[] = []
      const client = await connect(gateway, { ...how, ...ELICITS }, answering(asked))
      const answer = textOf(await client.callTool({ name: `${server}__ask`, arguments: {} }))
      assert.match(answer, /"action":"accept"/, JSON.stringify(how))
      assert.match(answer, /"colour":"red"/)
      assert.match(JSON.stringify(asked), new RegExp(`${server} asks: Which colour`))
      await client.close()
    }
  }
  const mute = await connect(gateway, {})
  assert.match(textOf(await mute.callTool({ name: 'notes__ask', arguments: {} })), /"cancel"/)
  await mute.close()
})

test('GATE-6: a client that has read of one server answers no question of another', async () => {
  await using cordon = openCordon()
  const servers = { notes: ['features', 'legacy', 'notes'], wiki: ['features', 'modern', 'wiki'] }
  const gateway = await openGateway(cordon, servers)
  for (const isModern of [false, true]) {
    const asked: unknown[] = []
    const client = await connect(gateway, { way: 'lines', isModern, ...ELICITS }, answering(asked))
    await client.readResource({ uri: 'notes://note/one' })
    assert.match(textOf(await client.callTool({ name: 'wiki__ask', arguments: {} })), /"cancel"/)
    assert.deepEqual(asked, [])
    assert.match(textOf(await client.callTool({ name: 'notes__ask', arguments: {} })), /"cancel"/)
    await client.close()
  }
})

test('the reference server gives all its features through the gateway', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, {})
  const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
  const script = path.join(root, everything)
  await cordon.ask(['mcp', 'add', 'all', '--', process.execPath, script])
  await cordon.ask(['mcp', 'start', 'all'])
  for (const isModern of [false, true]) {
    const client = await connect(gateway, { isModern, ...ELICITS }, answering())
    const { resources } = await client.listResources()
    const [first] = resources
    assert.ok(first && resources.length > 3)
    const { contents } = await client.readResource({ uri: first.uri })
    assert.equal(contents[0]?.uri, first.uri)
    const { resourceTemplates } = await client.listResourceTemplates()
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('text'))
    const uri = (template?.uriTemplate ?? '').replace(/\{\w+\}/, '1')
    assert.match(JSON.stringify(await client.readResource({ uri })), /text/)
    const { prompts } = await client.listPrompts()
    assert.ok(prompts.some(({ name }) => name === 'all__simple-prompt'))
    const { messages } = await client.getPrompt({ name: 'all__simple-prompt' })
    assert.ok(messages.length > 0)
    await client.close()
  }
})

test('log messages of a server that two clients use at once are told to neither', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  const open = async () => {
    const seen: unknown[] = []
    const client = await connect(gateway, {}, (one) => {
      one.setNotificationHandler(
        'notifications/message',
        ({ params }) => void seen.push(params.data),
      )
    })
    await client.setLoggingLevel('debug')
    return { client, seen }
  }
  const [one, other] = [await open(), await open()]
  const stop = new AbortController()
  const told: unknown[] = []
  const waiting = other.client.callTool(
    { name: 'notes__wait', arguments: {} },
    { signal: stop.signal, onprogress: (progress) => void told.push(progress) },
  )
  waiting.catch(() => undefined)
  await until(() => told.length > 0)
  const say = (words: string) => one.client.callTool({ name: 'notes__say', arguments: { words } })
  await say('while both are there')
  stop.abort()
  await until(async () => {
    await say('alone')
    return one.seen.length > 0
  })
  assert.ok(one.seen.every((words) => words === 'alone'))
  assert.deepEqual(other.seen, [])
  await one.client.close()
  await other.client.close()
})
