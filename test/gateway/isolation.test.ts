/** Two clients and several servers at once: a crash, a change or a flood touches nobody else, and no byte goes astray. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import {
  bearer,
  openGatewayCordon,
  openLines,
  post,
  type Rpc,
  textOf,
  toolCall,
} from '../fixtures/gateway-cordon.ts'
import { until } from '../fixtures/until.ts'

test('GATE-8: two clients with the same ids get their own answers alone, while a server crashes between them', async () => {
  await using gateway = await openGatewayCordon({ counter: ['counter'], doomed: ['counter'] }, [
    'one',
    'two',
  ])
  const canary = (client: string, id: number): string => `canary-of-${client}-${id}`
  const lines = { one: openLines(gateway.cordon, 'one'), two: openLines(gateway.cordon, 'two') }
  const seen = { one: [] as string[], two: [] as string[] }
  const overHttp = async (client: 'one' | 'two', id: number): Promise<void> => {
    const call = toolCall('counter__echo', { text: canary(client, id) }, id)
    const { body } = await post(gateway.url, call, { headers: bearer(gateway.tokenOf(client)) })
    assert.equal(textOf(body), canary(client, id))
    seen[client].push(JSON.stringify(body))
  }
  const overLines = async (client: 'one' | 'two', from: number): Promise<void> => {
    const open = lines[client]
    for (let id = from; id < from + 20; id += 1) {
      const name = id % 2 === 0 ? 'counter__echo' : 'counter__sleep'
      open.write(JSON.stringify(toolCall(name, { text: canary(client, id), ms: id % 7 }, id)))
    }
    for (let left = 20; left > 0; left -= 1) {
      const answer = await open.next()
      assert.equal(textOf(answer), canary(client, Number(answer.id)))
      seen[client].push(JSON.stringify(answer))
    }
  }
  const dies = async (): Promise<void> => {
    const headers = bearer(gateway.tokenOf('one'))
    const { body } = await post(gateway.url, toolCall('doomed__die', {}), { headers })
    assert.equal(body.result?.isError, true, 'the call that met the crash says so')
  }
  const clients = ['one', 'two'] as const
  const rounds = Array.from({ length: 2 }, (_, at) => at * 100)
  for (const from of rounds) {
    await Promise.all([
      dies(),
      ...clients.flatMap((client) => [
        overLines(client, from),
        ...Array.from({ length: 10 }, (_, at) => overHttp(client, from + 50 + at)),
      ]),
    ])
  }
  assert.ok(seen.one.length === 60 && seen.two.length === 60)
  assert.doesNotMatch(seen.one.join('\n'), /canary-of-two/)
  assert.doesNotMatch(seen.two.join('\n'), /canary-of-one/)
})

test('GATE-8: a session of one client is none of another', async () => {
  await using gateway = await openGatewayCordon({}, ['one', 'two'])
  const [one, two] = [bearer(gateway.tokenOf('one')), bearer(gateway.tokenOf('two'))]
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const opened = await post(
    gateway.url,
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { headers: one },
  )
  const session = { 'Mcp-Session-Id': String(opened.headers['mcp-session-id']) }
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const asked = async (headers: Readonly<Record<string, string>>, method = 'POST') =>
    (await post(gateway.url, method === 'POST' ? list : '', { headers, method })).status
  assert.equal(await asked({ ...two, ...session }), 404)
  assert.equal(await asked({ ...two, ...session }, 'DELETE'), 404)
  assert.equal(await asked({ ...one, ...session }), 200, 'its owner still has it')
  assert.equal(await asked({ ...one, ...session }, 'DELETE'), 202)
  assert.equal(await asked({ ...one, ...session }), 404)
})

test('a server that crashes in the middle of a call fails that call, and serves the next', async () => {
  await using gateway = await openGatewayCordon({ counter: ['counter'] }, ['one'])
  const headers = bearer(gateway.tokenOf('one'))
  const call = async (name: string, args: object): Promise<Rpc> =>
    (await post(gateway.url, toolCall(`counter__${name}`, args), { headers })).body
  const died = await call('die', {})
  assert.equal(died.result?.isError, true)
  assert.match(textOf(died), /server ended/)
  await until(async () => textOf(await call('echo', { text: 'again' })) === 'again')
})

test('a tool that changes behind the gateway is offered no more, and its server never sees a call of it', async () => {
  await using gateway = await openGatewayCordon({ puller: ['rug-puller'] }, ['one'])
  const headers = bearer(gateway.tokenOf('one'))
  const names = async (): Promise<readonly string[]> => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const { body } = await post(gateway.url, list, { headers })
    return (body.result?.tools ?? []).map(({ name }) => name)
  }
  await until(async () => (await names()).includes('puller__search'))
  await post(gateway.url, toolCall('puller__wait', {}), { headers })
  await until(async () => !(await names()).includes('puller__search'))
  assert.ok(!(await names()).includes('puller__help'), 'it was dropped')
  const { body } = await post(gateway.url, toolCall('puller__search', { text: 'x' }), { headers })
  assert.ok(body.error !== undefined || body.result?.isError === true)
})

test('GATE-8: a client that never reads loses its own connection, and another one is served', async () => {
  await using gateway = await openGatewayCordon({ echo: ['echo'] }, ['one', 'two'])
  const headers = bearer(gateway.tokenOf('two'))
  const served = async (): Promise<string> =>
    textOf((await post(gateway.url, toolCall('echo__echo', { text: 'mine' }), { headers })).body)
  await until(async () => (await served()) === 'mine')
  const socket = connect(path.join(gateway.cordon.home, 'run', 'cordon.sock'))
  let isCut = false
  socket.on('error', () => {
    isCut = true
  })
  const token = gateway.tokenOf('one')
  const head = ['GET /mcp HTTP/1.1', 'Host: cordon', 'Connection: Upgrade', 'Upgrade: mcp']
  socket.write(`${[...head, `Authorization: Bearer ${token}`].join('\r\n')}\r\n\r\n`)
  // Nothing is ever read here; a write fails once the kernel has cut the connection.
  let id = 0
  await until(async () => {
    id += 1
    socket.write(`${JSON.stringify(toolCall('echo__big', { bytes: 2 ** 21 }, id))}\n`)
    // The server answers in order, so it never has more than a few large answers to hold.
    assert.equal(await served(), 'mine')
    return isCut
  })
  socket.destroy()
})
