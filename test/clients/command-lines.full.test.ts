/** MCP Inspector's and mcporter's command lines through the gateway, over standard input and over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../fixtures/until.ts'
import { finish } from '../fixtures/cordon.ts'
import { type ClientHouse, interrupt, openClientHouse } from './client-house.ts'

const SUM = { content: [{ type: 'text', text: '{"total":3}' }], structuredContent: { total: 3 } }

async function inspect(house: ClientHouse, args: readonly string[]): Promise<unknown> {
  const quiet = ['--cli', '--quiet', '--format', 'json']
  const { code, stdout, stderr } = await house.run('inspector', [...quiet, ...args])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('MCP Inspector lists, calls, and is content with every schema, in both eras and over all transports', async () => {
  await using house = await openClientHouse()
  const call = ['--method', 'tools/call', '--tool-name', 'echo__sum']
  const args = ['--tool-arg', 'a=1', '--tool-arg', 'b=2']
  const from = (server: string) => ['--config', house.config, '--server', server]
  const older = house.url.replace(/mcp$/, 'sse')
  const bearer = ['--header', `Authorization: Bearer ${house.token}`]
  const ways = [
    [...from('lines'), '--protocol-era', 'legacy'],
    [...from('web'), '--protocol-era', 'legacy'],
    [...from('web'), '--protocol-era', 'modern'],
    [older, '--transport', 'sse', ...bearer],
  ]
  for (const way of ways) {
    const { result } = (await inspect(house, [...way, ...call, ...args])) as { result: unknown }
    assert.partialDeepStrictEqual(result, SUM, way.join(' '))
  }
  const strict = [...from('web'), '--method', 'tools/list', '--strict']
  const { code, stdout, stderr } = await house.run('inspector', ['--cli', ...strict])
  assert.equal(code, 0)
  assert.match(stdout, /"run_flow"/)
  assert.doesNotMatch(stderr, /Issue:/)
})

test('mcporter lists and calls, and its time limit cancels the call at the server', async () => {
  await using house = await openClientHouse()
  const port = async (...args: readonly string[]) =>
    await house.run('mcporter', ['--config', house.config, ...args])
  for (const server of ['lines', 'web']) {
    const listed = await port('list', server, '--json')
    assert.match(listed.stdout, /"echo__sum"/, listed.stderr)
    const { stdout } = await port('call', `${server}.echo__sum`, 'a=1', 'b=2', '--output', 'json')
    assert.deepEqual(JSON.parse(stdout), { total: 3 })
  }
  const limited = await port('call', 'web.slow__sleep', 'ms=600000', '--timeout', '2000')
  assert.notEqual(limited.code, 0)
  await until(async () => (await house.logs('slow')).includes('told to cancel'))
})

const CALL = ['--method', 'tools/call', '--tool-name'] as const

test('a server that asks is told `cancel` for MCP Inspector and mcporter, which ask nobody', async () => {
  await using house = await openClientHouse()
  const from = ['--config', house.config, '--server', 'lines']
  const asking = [...from, ...CALL, 'asker__ask', '--tool-arg', 'question=form']
  assert.match(JSON.stringify(await inspect(house, asking)), /cancel/)
  const call = ['--config', house.config, 'call', 'web.asker__ask', 'question=form']
  assert.match((await house.run('mcporter', call)).stdout, /cancel/)
})

test('Ctrl-C in MCP Inspector and mcporter cancels the call at the server, by both ways', async () => {
  await using house = await openClientHouse()
  const config = ['--config', house.config]
  const ms = ['--tool-arg', 'ms=600000']
  const inspector = (server: string) =>
    ['--cli', ...config, '--server', server].concat(CALL, 'slow__sleep', ms)
  const mcporter = (server: string) => [...config, 'call', `${server}.slow__sleep`, 'ms=600000']
  const count = async (words: string): Promise<number> =>
    (await house.logs('slow')).split(words).length - 1
  let calls = 0
  for (const server of ['lines', 'web']) {
    for (const [client, args] of [
      ['inspector', inspector(server)],
      ['mcporter', mcporter(server)],
    ] as const) {
      const child = await house.start(client, args)
      const ended = finish(child)
      calls += 1
      await until(async () => (await count('told to sleep')) === calls)
      interrupt(child)
      await until(async () => (await count('told to cancel')) === calls)
      await ended
    }
  }
})
