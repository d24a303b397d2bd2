/** Clients that send nonsense, too much, under a wrong name or twice: answered by the book, the server never contacted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answered,
  bearer,
  type GatewayCordon,
  openGatewayCordon,
  openLines,
  post,
  textOf,
  toolCall,
} from '../fixtures/gateway-cordon.ts'
import { until } from '../fixtures/until.ts'

const SERVERS = { counter: ['counter'] } as const
const CALL = toolCall('counter__echo', { text: 'hello' })
const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const MODERN = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'counter__echo', arguments: { text: 'hello' }, _meta: MODERN_META },
}

interface Counts {
  readonly calls: number
  readonly sleeping: number
  readonly cancelled: number
}

/** The messages that have reached the server so far. */
async function counts({ url, tokenOf }: GatewayCordon): Promise<Counts> {
  const { body } = await post(url, toolCall('counter__count', {}), {
    headers: bearer(tokenOf('one')),
  })
  return JSON.parse(textOf(body)) as Counts
}

async function reached(gateway: GatewayCordon): Promise<number> {
  return (await counts(gateway)).calls
}

const codeOf = ({ body }: Answered): number | undefined => body.error?.code

test('GATE-1: malformed messages, wrong headers and foreign requests are refused, and no server is contacted', async () => {
  await using gateway = await openGatewayCordon(SERVERS, ['one', 'two'])
  const { url } = gateway
  const own = bearer(gateway.tokenOf('one'))
  const host = new URL(url).host
  const before = await reached(gateway)
  const bodies: readonly (readonly [unknown, number])[] = [
    ['{', -32_700],
    ['', -32_700],
    [[CALL], -32_600],
    ['null', -32_600],
    [{ ...CALL, jsonrpc: '1.0' }, -32_600],
    [{ ...CALL, id: 1.5 }, -32_600],
    [{ ...CALL, id: null }, -32_600],
    [{ ...CALL, params: ['counter__echo'] }, -32_602],
    [
      `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(9e4)}${']'.repeat(9e4)}}}`,
      -32_600,
    ],
  ]
  for (const [body, code] of bodies) {
    const answer = await post(url, body, { headers: own })
    assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 80))
    assert.equal(codeOf(answer), code, JSON.stringify(body).slice(0, 80))
  }
  const version = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' }
  const heads: readonly (readonly [Record<string, string>, unknown, number, number | undefined])[] =
    [
      [{ ...own, 'MCP-Protocol-Version': '1999-01-01' }, CALL, 400, -32_022],
      [{ ...own, ...version, 'Mcp-Name': 'counter__count' }, MODERN, 400, -32_020],
      [
        { ...own, ...version, 'Mcp-Method': 'tools/list', 'Mcp-Name': 'counter__echo' },
        MODERN,
        400,
        -32_020,
      ],
      [own, MODERN, 400, -32_020],
      [{ ...own, Host: `evil.example:${host.split(':')[1]}` }, CALL, 403, undefined],
      [{ ...own, Host: '127.0.0.1' }, CALL, 403, undefined],
      [{ ...own, Origin: 'http://evil.example' }, CALL, 403, undefined],
      [{ ...own, Origin: `http://${host}` }, CALL, 403, undefined],
      [{ ...own, Origin: 'null' }, CALL, 403, undefined],
      [{}, CALL, 401, undefined],
      [bearer('x'.repeat(43)), CALL, 401, undefined],
      [{ Authorization: `Basic ${gateway.tokenOf('one')}` }, CALL, 401, undefined],
      [{ ...own, 'Mcp-Session-Id': '00000000-0000-4000-8000-000000000000' }, CALL, 404, undefined],
    ]
  for (const [headers, body, status, code] of heads) {
    const answer = await post(url, body, { headers })
    assert.deepEqual([answer.status, codeOf(answer)], [status, code], JSON.stringify(headers))
  }
  assert.equal((await post(url, '', { headers: own, method: 'PUT' })).status, 405)
  assert.equal((await post(url, '', { headers: own, method: 'GET' })).status, 405)
  assert.equal(
    codeOf(await post(url, { ...CALL, method: 'tools/drop' }, { headers: own })),
    -32_601,
  )
  assert.equal(codeOf(await post(url, toolCall('counter__none', {}), { headers: own })), -32_602)
  assert.equal(await reached(gateway), before + 1, 'only the question how many there were')
})

test('a message above 16 MiB is refused alone, over HTTP and on a line', async () => {
  await using gateway = await openGatewayCordon(SERVERS, ['one'])
  const headers = bearer(gateway.tokenOf('one'))
  const large = JSON.stringify(toolCall('counter__echo', { text: 'x'.repeat(17 * 2 ** 20) }))
  const answer = await post(gateway.url, large, { headers }).catch((error: unknown) => error)
  // The connection may be cut while the client still sends.
  if (!(answer instanceof Error)) assert.equal((answer as Answered).status, 413)
  const lines = openLines(gateway.cordon, 'one')
  lines.write(large)
  lines.write('not JSON')
  lines.write('[]')
  lines.write(JSON.stringify(toolCall('counter__echo', { text: 'still here' }, 'later')))
  const codes = [await lines.next(), await lines.next(), await lines.next()].map(
    ({ id, error }) => [id, error?.code],
  )
  assert.deepEqual(codes, [
    [null, -32_600],
    [null, -32_700],
    [null, -32_600],
  ])
  const last = await lines.next()
  assert.deepEqual([last.id, textOf(last)], ['later', 'still here'])
  assert.equal(await reached(gateway), 1)
})

test('an id that is under way is refused a second time, and the first call is answered', async () => {
  await using gateway = await openGatewayCordon(SERVERS, ['one'])
  const lines = openLines(gateway.cordon, 'one')
  const slow = JSON.stringify(toolCall('counter__sleep', { ms: 500 }, 7))
  lines.write(slow)
  lines.write(slow)
  const [second, first] = [await lines.next(), await lines.next()]
  assert.deepEqual([second.id, second.error?.code], [7, -32_600])
  assert.deepEqual([first.id, textOf(first)], [7, 'slept'])
  assert.equal(await reached(gateway), 1)
})

test('a client that floods is answered with errors, and another one is served', async () => {
  await using gateway = await openGatewayCordon(SERVERS, ['one', 'two'])
  const lines = openLines(gateway.cordon, 'one')
  for (let id = 0; id < 300; id += 1) {
    lines.write(JSON.stringify(toolCall('counter__sleep', { ms: 2000 }, id)))
  }
  const other = await post(gateway.url, CALL, { headers: bearer(gateway.tokenOf('two')) })
  assert.equal(textOf(other.body), 'hello')
  const answers = []
  while (answers.length < 300) answers.push(await lines.next())
  const refused = answers.filter(({ error }) => error !== undefined)
  assert.ok(refused.length >= 44, `${refused.length} of 300 were refused`)
  for (const { error } of refused) assert.match(error?.message ?? '', /under way/)
  assert.equal(new Set(answers.map(({ id }) => id)).size, 300, 'each is answered once')
})

test('a client that disconnects in the middle of a call cancels it at the server', async () => {
  await using gateway = await openGatewayCordon(SERVERS, ['one', 'two'])
  const headers = bearer(gateway.tokenOf('one'))
  const leaving = new AbortController()
  const call = post(gateway.url, toolCall('counter__sleep', { ms: 600_000 }), {
    headers,
    signal: leaving.signal,
  })
  call.catch(() => undefined)
  await until(async () => (await counts(gateway)).sleeping === 1)
  leaving.abort()
  await until(async () => (await counts(gateway)).cancelled === 1)
  const lines = openLines(gateway.cordon, 'two')
  lines.write(JSON.stringify(toolCall('counter__sleep', { ms: 600_000 })))
  await until(async () => (await counts(gateway)).sleeping === 2)
  lines.child.kill('SIGKILL')
  await until(async () => (await counts(gateway)).cancelled === 2)
})

test('GATE-1: a client that is removed loses its open connection, and its call is cancelled', async () => {
  await using gateway = await openGatewayCordon(SERVERS, ['one', 'two'])
  const lines = openLines(gateway.cordon, 'two')
  lines.write(JSON.stringify(toolCall('counter__echo', { text: 'in' })))
  assert.equal(textOf(await lines.next()), 'in')
  lines.write(JSON.stringify(toolCall('counter__sleep', { ms: 600_000 })))
  await until(async () => (await counts(gateway)).sleeping === 1)
  await gateway.cordon.ask(['client', 'remove', 'two', '--yes'])
  await lines.ended
  assert.equal(
    (await post(gateway.url, CALL, { headers: bearer(gateway.tokenOf('one')) })).status,
    200,
  )
})

test('GATE-2: a change of the client holds for its open connection, from the next call on', async () => {
  await using gateway = await openGatewayCordon({}, ['one'])
  const { cordon } = gateway
  const server = new URL('../fixtures/servers/sender.mjs', import.meta.url).pathname
  const outward = ['--allow', 'api.example.com']
  await cordon.ask(['mcp', 'add', 'sender', ...outward, '--', process.execPath, server])
  const lines = openLines(cordon, 'one')
  lines.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  assert.ok((await lines.next()).result?.tools)
  await cordon.ask(['client', 'edit', 'one', '--tainted', 'deny'])
  lines.write(JSON.stringify(toolCall('sender__send', { to: 'a', body: 'b' })))
  const { result } = await lines.next()
  assert.equal(result?.isError, true, 'nobody is asked')
})
