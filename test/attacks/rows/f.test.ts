/** Attacks through features of the protocol: rows F2 to F6, unless another test covers the whole row. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { createEgress } from '../../../src/egress/create-egress.ts'
import { openOutside } from '../../../src/egress/test-outside.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import type { ServerDeps } from '../../../src/servers/open-servers.ts'
import { root } from '../../fixtures/cordon.ts'
import { define, openHouse, type TestHouse } from '../../servers/runtime/direct-sandbox.ts'
import { createStreamServer, remote } from '../../servers/runtime/http-server.ts'
import { saidIn } from './behind-sandbox.ts'

const id = parseServerId('it')
type Elicit = NonNullable<ServerDeps['elicit']>

test('F2: a question is put under the name its owner gave the server, a look-alike page under its real name, and no page is opened', async () => {
  const asked: Parameters<Elicit>[] = []
  const elicit: Elicit = async (...question) => {
    asked.push(question)
    return { action: 'decline' }
  }
  const createFetch = (): never => assert.fail('a page was fetched')
  await using plain = await openHouse([])
  const egress = { ...plain.rooms.egress, createFetch }
  await using house = await openHouse([define('it', 'attack-phisher')], { elicit, egress })
  const ask = async (params: Record<string, string>): Promise<string> =>
    saidIn(await house.call('it', 'ask', { message: 'Your Bank needs you', ...params }))
  const visit = { mode: 'url', elicitationId: '1' }
  await ask({ ...visit, url: 'https://p\u0430ypal.example/login' })
  assert.deepEqual(asked.shift()?.slice(0, 2), [
    'it',
    {
      kind: 'visit',
      message: 'Your Bank needs you',
      url: 'https://xn--pypal-4ve.example/login',
    },
  ])
  for (const url of [
    'https://bank.example@evil.example/',
    'https://bank.example:secret@evil.example/',
    'data:text/html,hello',
    `https://evil.example/${'a'.repeat(9000)}`,
  ]) {
    assert.match(await ask({ ...visit, url }), /decline/, url)
  }
  assert.deepEqual(asked, [])
})

test('F2: no form asks for a password, a token, a card or a one-time code, in whatever words', async () => {
  const elicit: Elicit = () => assert.fail('somebody was asked')
  await using house = await openHouse([define('it', 'attack-phisher')], { elicit })
  const form = (name: string, field: object) => ({
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { [name]: { type: 'string', ...field } } },
  })
  for (const params of [
    form('password', {}),
    form('otp', {}),
    form('a', { title: 'API key' }),
    form('a', { description: 'Your one-time code' }),
    form('card', { title: 'Card number' }),
    form('a', { title: 'pass\u200bword' }),
    { ...form('a', {}), message: 'Enter your login code' },
    form('github_token', { type: 'number' }),
  ]) {
    const said = saidIn(await house.call('it', 'ask', params))
    assert.match(said, /decline/, JSON.stringify(params))
  }
})

async function linesOf(house: TestHouse, server: string): Promise<readonly string[]> {
  return (await house.servers.logs(parseServerId(server))).map(({ text }) => text)
}

test('F3: a link to a file, a resource or another server’s resource is an answer, and is followed by nobody', async () => {
  await using house = await openHouse([
    define('it', 'attack-linker'),
    define('other', 'attack-linker'),
  ])
  await house.call('other', 'look')
  const result = await house.call('it', 'look')
  assert.ok(result.kind === 'ok')
  assert.equal(result.label.integrity, 'external')
  assert.match(JSON.stringify(result.value), /file:\/\/\/etc\/passwd.*other:\/\/inbox/)
  for (const server of ['it', 'other']) {
    const asked = (await linesOf(house, server)).filter((line) => line.startsWith('asked for '))
    const methods = new Set(asked.map((line) => line.slice('asked for '.length)))
    assert.ok(methods.has('tools/call'))
    const expected = ['initialize', 'tools/list', 'tools/call', 'ping', 'server/discover']
    const others = [...methods].filter((method) => !expected.includes(method))
    assert.deepEqual(
      others.filter((method) => !method.startsWith('notifications/')),
      [],
    )
  }
})

test('F4: each server has a session of its own, whose id reaches no other server, log, record or file', async () => {
  const servers = { 'allowed.example': createStreamServer(), 'other.example': createStreamServer() }
  const sent = new Map<string, Set<unknown>>()
  await using outside = await openOutside()
  outside.answer = (request, response) => {
    const host = request.headers.host as keyof typeof servers
    const ids = sent.get(host) ?? new Set()
    sent.set(host, ids.add(request.headers['mcp-session-id']))
    servers[host].listener(request, response)
  }
  const other = { ...remote({ url: 'https://other.example/mcp' }), id: parseServerId('other') }
  const logged: string[] = []
  const write = (...line: unknown[]): void => void logged.push(JSON.stringify(line))
  await using house = await openHouse([remote(), other], {
    egress: createEgress(outside.parts()),
    log: { info: write, warn: write, error: write },
  })
  for (const server of ['it', 'other']) {
    assert.equal((await house.call(server, 'echo', { text: 'hi' })).kind, 'ok')
  }
  const [first, second] = Object.entries(servers).map(([host, { sessions }]) => {
    const known = [...sessions.keys()]
    assert.equal(known.length, 1)
    const ids = [...(sent.get(host) ?? [])].filter((one) => one !== undefined)
    assert.deepEqual(ids, known, `${host} was sent its own id and no other`)
    return known[0] ?? ''
  })
  assert.notEqual(first, second)
  const logs = [await linesOf(house, 'it'), await linesOf(house, 'other')]
  const states = await house.servers.states()
  const files = readdirSync(house.folder).map((name) =>
    readFileSync(path.join(house.folder, name), 'utf8'),
  )
  const said = JSON.stringify([logged, logs, states, files, house.events, house.told])
  for (const session of [first, second]) assert.ok(session && !said.includes(session))
})

test('F4: the SDK is none of those that mixed clients up or could be held up by a pattern', () => {
  const versionIn = (file: string): string =>
    (JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { version: string }).version
  for (const part of ['client', 'core', 'server']) {
    const version = versionIn(`node_modules/@modelcontextprotocol/${part}/package.json`)
    const [major = 0, minor = 0] = version.split('.').map(Number)
    assert.ok(major > 1 || (major === 1 && minor >= 26), `${part} ${version}`)
  }
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  assert.match(dependencies['@modelcontextprotocol/client'] ?? '', /^\d/, 'it is pinned')
})

test('F6: answers that nobody waits for are dropped, and a server that makes demands is offered nothing', async () => {
  await using house = await openHouse([define('it', 'attack-spoofer')])
  for (const call of ['first', 'second', 'third']) {
    const said = saidIn(await house.call('it', 'work'))
    assert.doesNotMatch(said, /spoofed/, call)
    const told = said.split('\n')
    assert.equal(told.length, 10, said)
    for (const line of told) assert.match(line, /: -32601$/)
  }
  assert.equal(house.launches.length, 1, 'the connection outlives it')
  const lines = await linesOf(house, 'it')
  assert.ok(lines.includes('The server asked for "sampling/createMessage", which is not offered'))
  assert.equal((await house.servers.states())[0]?.server, id)
})
