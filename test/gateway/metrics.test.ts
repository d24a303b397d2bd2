/** `/metrics` of a real kernel, read line by line as Prometheus reads it. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'
import { approveNext } from '../fixtures/gateway-clients.ts'
import { post } from '../fixtures/gateway-cordon.ts'
import { becomes } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

const CANARY = 'canary-5f1d'
const SAMPLE = /^([a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) ([0-9.e+-]+)$/

/** Every sample by its name and labels; throws at a line that is none. */
async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(url)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const text = await response.text()
  assert.ok(text.endsWith('\n'))
  assert.doesNotMatch(text, new RegExp(CANARY))
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = SAMPLE.exec(line) ?? []
      assert.notEqual(name, '', line)
      return [name, Number(value)]
    }),
  )
}

test('off by default; turned on, it counts calls by server and outcome, and what waits', async () => {
  await using cordon = openCordon()
  const servers = { echo: ['echo'], sender: ['sender', '--allow=api.example.com'] }
  const first = await openGateway(cordon, servers)
  assert.equal((await fetch(new URL('/metrics', first.url))).status, 404)
  await cordon.ask(['down'])
  writeFileSync(path.join(cordon.home, 'config.toml'), '[gateway]\nmetrics = true\n')
  await cordon.ask(['up', '--detach'])
  const { url = '' } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  const at = new URL('/metrics', url).href
  const read = async (name: string) => (await scrape(at)).get(name)

  const client = await connect({ ...first, url }, { way: 'lines' })
  await client.callTool({ name: 'echo__echo', arguments: { text: CANARY } })
  await client.callTool({ name: 'echo__fail', arguments: { text: CANARY } })
  const calls = (server: string, outcome: string) =>
    read(`cordon_gateway_calls_total{server="${server}",outcome="${outcome}"}`)
  assert.equal(await calls('echo', 'ok'), 1)
  assert.equal(await calls('echo', 'failed'), 1)
  assert.equal(await read('cordon_gateway_call_duration_seconds_count{server="echo"}'), 2)
  assert.equal(await read('cordon_gateway_connections'), 1)
  assert.equal(await read('cordon_servers'), 2)

  const sending = client.callTool({ name: 'sender__send', arguments: { to: CANARY, body: 'b' } })
  await becomes(() => read('cordon_approvals_waiting'), 1)
  assert.equal(await read('cordon_gateway_requests'), 1)
  await approveNext(cordon)
  await sending
  assert.equal(await calls('sender', 'ok'), 1)
  assert.equal(await read('cordon_approvals_waiting'), 0)
  assert.equal(await read('cordon_servers_running'), 2)
  await client.close()
  await becomes(() => read('cordon_gateway_connections'), 0)

  const { port } = new URL(url)
  for (const headers of [{ Host: `evil.example:${port}` }, { Origin: 'http://evil.example' }]) {
    assert.equal((await post(at, '', { method: 'GET', headers })).status, 403)
  }
})
