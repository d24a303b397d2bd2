/**
 * Every fault of a client by every way into the gateway: answered by the book, the server contacted for nothing, and a
 * second client served through all of it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bearer,
  type GatewayCordon,
  openGatewayCordon,
  post,
  type Rpc,
  textOf,
  toolCall,
} from '../fixtures/gateway-cordon.ts'
import { isModern, WAYS, type Way } from '../fixtures/gateway-ways.ts'
import { until } from '../fixtures/until.ts'

const COUNTER = { counter: ['counter'] } as const

/** The second client: its own calls are the only ones that may arrive at the server besides those meant to. */
function second(gateway: GatewayCordon) {
  const headers = bearer(gateway.tokenOf('two'))
  let own = 0
  const call = async (name: string, args: object): Promise<string> => {
    own += 1
    return textOf((await post(gateway.url, toolCall(name, args), { headers })).body)
  }
  const count = async (): Promise<Readonly<Record<'calls' | 'cancelled' | 'sleeping', number>>> =>
    JSON.parse(await call('counter__count', {})) as never
  return {
    count,
    /** Is served, whatever the other client does. */
    isServed: async (): Promise<void> =>
      assert.equal(await call('counter__echo', { text: `mine ${own}` }), `mine ${own - 1}`),
    /** Calls at the server that are not its own. */
    foreign: async (): Promise<number> => {
      const { calls } = await count()
      return calls - (own - 1)
    },
  }
}

const codeOf = ({ error }: Rpc): number | undefined => error?.code
const echo = (way: Way, text: string, id: string | number = 'echo') =>
  way.request('tools/call', { name: 'counter__echo', arguments: { text } }, id)
const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":${'['.repeat(9e4)}${']'.repeat(9e4)}}}`

test('malformed messages of every kind get their own code by every way, and no server is contacted', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const other = second(gateway)
  await other.isServed()
  for (const [name, open] of Object.entries(WAYS)) {
    const way = await open(gateway, 'one')
    const call = echo(way, 'never')
    const { params } = call
    const bodies: readonly (readonly [string, number])[] = [
      ['{', -32_700],
      ['"\u0000"x', -32_700],
      ['[]', -32_600],
      ['null', -32_600],
      ['7', -32_600],
      [JSON.stringify([call]), -32_600],
      [JSON.stringify({ ...call, jsonrpc: '1.0' }), -32_600],
      [JSON.stringify({ ...call, jsonrpc: undefined }), -32_600],
      [JSON.stringify({ ...call, id: null }), -32_600],
      [JSON.stringify({ ...call, id: 1.5 }), -32_600],
      [JSON.stringify({ ...call, id: {} }), -32_600],
      [JSON.stringify({ ...call, id: true }), -32_600],
      [JSON.stringify({ ...call, method: 7 }), -32_600],
      [JSON.stringify({ jsonrpc: '2.0', id: 1 }), -32_600],
      [JSON.stringify({ jsonrpc: '2.0', id: 1, result: {}, error: {} }), -32_600],
      [JSON.stringify({ ...call, params: [params] }), -32_602],
      [JSON.stringify({ ...call, params: 'x' }), -32_602],
      [deep, -32_600],
    ]
    for (const [body, code] of bodies) {
      const where = `${name}: ${body.slice(0, 90)}`
      assert.equal(codeOf(await way.say(body)), code, where)
    }
    assert.equal(textOf(await way.ask(echo(way, 'still here'))), 'still here', name)
    await other.isServed()
    way.leave()
  }
  assert.equal(await other.foreign(), Object.keys(WAYS).length, 'the one good call of each way')
})

test('requests that make no sense get their own code by every way, and no server is contacted', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const other = second(gateway)
  await other.isServed()
  for (const [name, open] of Object.entries(WAYS)) {
    const way = await open(gateway, 'one')
    const version = (asked: unknown) => ({
      _meta: { 'io.modelcontextprotocol/protocolVersion': asked },
      name: 'counter__echo',
      arguments: {},
    })
    const requests: readonly (readonly [string, object, number])[] = [
      ['tools/drop', {}, -32_601],
      ['constructor', {}, -32_601],
      ['__proto__', {}, -32_601],
      ['sampling/createMessage', {}, -32_601],
      ['roots/list', {}, -32_601],
      ['tasks/list', {}, -32_601],
      ['tools/call', { name: 'counter__none', arguments: {} }, -32_602],
      ['tools/call', { name: 'counter__echo', arguments: 'text' }, -32_602],
      ['tools/call', { name: 'counter__echo', arguments: [] }, -32_602],
      ['tools/call', { name: 'counter.echo', arguments: {} }, -32_602],
      ['tools/call', {}, -32_602],
      ['tools/list', { cursor: 'none:1' }, -32_602],
      ['tools/list', { cursor: 7 }, -32_602],
      ['prompts/get', { name: 'none' }, -32_602],
      ['resources/read', {}, -32_602],
      ['resources/read', { uri: 'file:///etc/passwd' }, isModern(name) ? -32_602 : -32_002],
      ['completion/complete', { ref: { type: 'ref/none' }, argument: {} }, -32_602],
      ['tools/call', { ...version(7) }, -32_602],
    ]
    for (const [method, params, code] of requests) {
      const answer = await way.ask(way.request(method, params))
      const where = `${name}: ${method} ${JSON.stringify(params)}`
      assert.deepEqual([answer.id, codeOf(answer)], [1, code], where)
    }
    const old = isModern(name)
      ? ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'initialize']
      : ['subscriptions/listen']
    for (const method of old) {
      const answer = await way.ask(way.request(method, { uri: 'a:b', level: 'info' }))
      assert.equal(codeOf(answer), -32_601, `${name}: ${method} is of the other era`)
    }
    await other.isServed()
    way.leave()
  }
  assert.equal(await other.foreign(), 0)
})

test('versions that nobody speaks and requests without their capabilities are refused by every way', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const other = second(gateway)
  await other.isServed()
  const version = 'io.modelcontextprotocol/protocolVersion'
  for (const [name, open] of Object.entries(WAYS)) {
    const way = await open(gateway, 'one')
    const call = echo(way, 'never')
    const unknown = { ...call, params: { ...call.params, _meta: { [version]: '1999-01-01' } } }
    const refused = await way.say(JSON.stringify(unknown))
    // Over HTTP the header is looked at first, and says something else.
    const isMismatch = name.startsWith('HTTP ')
    assert.equal(codeOf(refused), isMismatch ? -32_020 : -32_022, name)
    if (!isMismatch) {
      const told = JSON.stringify(refused.error?.data)
      assert.match(told, /"supported":\["2026-07-28","2025-11-25"/, name)
    }
    if (isModern(name)) {
      const bare = { ...call, params: { ...call.params, _meta: { [version]: '2026-07-28' } } }
      assert.equal(codeOf(await way.ask(bare)), -32_602, `${name}: without capabilities`)
    }
    way.leave()
  }
  const headers = { ...bearer(gateway.tokenOf('one')), 'MCP-Protocol-Version': '2099-01-01' }
  const _meta = { [version]: '2099-01-01', 'io.modelcontextprotocol/clientCapabilities': {} }
  const probe = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }
  const answer = await post(gateway.url, probe, { headers })
  assert.deepEqual([answer.status, answer.body.id, codeOf(answer.body)], [400, 1, -32_022])
  const call = toolCall('counter__echo', { text: 'never' }, 2)
  const modern = { ...headers, 'MCP-Protocol-Version': '2026-07-28' }
  const silent = await post(gateway.url, call, { headers: modern })
  assert.deepEqual([silent.status, silent.body.id, codeOf(silent.body)], [400, 2, -32_602])
  const said = { ...probe, params: { _meta: { ..._meta, [version]: '2026-07-28' } } }
  const differs = await post(gateway.url, said, { headers })
  assert.deepEqual([differs.status, differs.body.id, codeOf(differs.body)], [400, 1, -32_020])
  assert.equal(await other.foreign(), 0)
})

test('a message above 16 MiB is refused alone by every way, and its client goes on', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const other = second(gateway)
  await other.isServed()
  for (const [name, open] of Object.entries(WAYS)) {
    const way = await open(gateway, 'one')
    const large = JSON.stringify(echo(way, 'x'.repeat(17 * 2 ** 20)))
    // Over HTTP the connection may be cut while the client still sends: then there is nothing to read.
    const refused = await way.say(large).catch(() => undefined)
    assert.equal(refused?.result, undefined, name)
    assert.equal(textOf(await way.ask(echo(way, 'still here'))), 'still here', name)
    await other.isServed()
    way.leave()
  }
  assert.equal(await other.foreign(), Object.keys(WAYS).length)
})

test('an id that is under way is refused a second time by every way that has a session', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const other = second(gateway)
  await other.isServed()
  const names = Object.keys(WAYS).filter((name) => name !== 'HTTP of 2026-07-28')
  for (const name of names) {
    const way = await WAYS[name]!(gateway, 'one')
    const before = (await other.count()).sleeping
    const sleep = way.request('tools/call', { name: 'counter__sleep', arguments: { ms: 9e5 } }, 7)
    way.start(sleep)
    await until(async () => (await other.count()).sleeping === before + 1)
    const again = await way.ask(echo(way, 'never', 7))
    assert.deepEqual([again.id, codeOf(again)], [7, -32_600], name)
    // The same id in the session of another client is a request of its own.
    const own = await WAYS[name]!(gateway, 'two')
    assert.equal(textOf(await own.ask(echo(own, 'of two', 7))), 'of two', name)
    own.leave()
    way.leave()
  }
  assert.equal(
    await other.foreign(),
    2 * names.length,
    'the call that sleeps, and that of client two',
  )
})

test('a client that goes away in the middle of a call has it cancelled at the server, by every way', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const other = second(gateway)
  for (const [name, open] of Object.entries(WAYS)) {
    const way = await open(gateway, 'one')
    const before = await other.count()
    way.start(way.request('tools/call', { name: 'counter__sleep', arguments: { ms: 9e5 } }, 7))
    await until(async () => (await other.count()).sleeping === before.sleeping + 1)
    assert.equal((await other.count()).cancelled, before.cancelled, name)
    way.leave()
    await until(async () => (await other.count()).cancelled === before.cancelled + 1)
    await other.isServed()
  }
})

test('GATE-1: a token that is revoked ends every way at once, with the calls under way, and no other client’s', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  const other = second(gateway)
  const slow = { name: 'counter__sleep', arguments: { ms: 9e5 } }
  const open = async (client: string): Promise<readonly Way[]> => {
    const ways: Way[] = []
    for (const one of Object.values(WAYS)) ways.push(await one(gateway, client))
    for (const way of ways) way.start(way.request('tools/call', slow, 7))
    return ways
  }
  const [stolen, kept] = [await open('one'), await open('two')]
  await until(async () => (await other.count()).sleeping === stolen.length + kept.length)
  const token = bearer(gateway.tokenOf('one'))
  await gateway.cordon.ask(['client', 'remove', 'one', '--yes'])
  for (const way of stolen) {
    await way.ended
  }
  await until(async () => (await other.count()).cancelled === stolen.length)
  const late = await post(gateway.url, toolCall('counter__echo', { text: 'x' }), { headers: token })
  assert.equal(late.status, 401)
  for (const way of kept) {
    assert.equal(textOf(await way.ask(echo(way, 'goes on', 8))), 'goes on')
  }
  assert.equal((await other.count()).cancelled, stolen.length)
  for (const way of kept) way.leave()
})

test('a server that dies in the middle fails the calls it had, by every way, and nothing else', async () => {
  // One for each way: a server that dies again and again is not started again.
  const doomed = Object.fromEntries(
    Object.keys(WAYS).map((_, at) => [`doomed${at}`, ['counter'] as const]),
  )
  await using gateway = await openGatewayCordon({ ...COUNTER, ...doomed }, ['one', 'two'])
  const other = second(gateway)
  for (const [at, [name, open]] of Object.entries(WAYS).entries()) {
    const way = await open(gateway, 'one')
    const before = (await other.count()).sleeping
    const elsewhere = await open(gateway, 'two')
    elsewhere.start(
      elsewhere.request('tools/call', { name: 'counter__sleep', arguments: { ms: 9e5 } }, 7),
    )
    await until(async () => (await other.count()).sleeping === before + 1)
    const died = await way.ask(
      way.request('tools/call', { name: `doomed${at}__die`, arguments: {} }),
    )
    assert.equal(died.result?.isError, true, `${name}: ${JSON.stringify(died)}`)
    assert.match(textOf(died), /server ended/, name)
    const { cancelled } = await other.count()
    // The next call starts it again.
    await until(async () => {
      const next = { name: `doomed${at}__echo`, arguments: { text: 'again' } }
      return textOf(await way.ask(way.request('tools/call', next))) === 'again'
    })
    assert.equal((await other.count()).cancelled, cancelled, 'the other call goes on')
    elsewhere.leave()
    await until(async () => (await other.count()).cancelled === cancelled + 1)
    way.leave()
  }
})
