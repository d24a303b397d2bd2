/** The orderly end: requests under way are finished, new ones are refused, and every client is told. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import { post } from '../fixtures/gateway-cordon.ts'
import { until } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

const ASKS = { name: 'asker__ask', arguments: { question: 'form' } }
const ELICITS = { capabilities: { elicitation: { form: {} } } } as const

/** A question that is open until the test answers it. */
function createQuestion() {
  const put = Promise.withResolvers<void>()
  const given = Promise.withResolvers<void>()
  const handle = async () => {
    put.resolve()
    await given.promise
    return { action: 'accept' as const, content: { name: 'ada@example.org' } }
  }
  return { handle, put: put.promise, answer: () => given.resolve() }
}

test('cordon down: a call under way is finished, new requests are refused, and connections end', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { asker: ['asker'] })
  const question = createQuestion()
  const client = await connect(gateway, { way: 'lines', ...ELICITS }, (one) => {
    one.setRequestHandler('elicitation/create', question.handle)
  })
  const calling = client.callTool(ASKS)
  await question.put
  const down = cordon.run(['down'])
  const { origin } = new URL(gateway.url)
  const ready = async () => await post(`${origin}/readyz`, '', { method: 'GET' })
  await until(async () => (await ready()).status === 503)
  const headers = { Authorization: `Bearer ${gateway.token}` }
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
  const refused = await post(gateway.url, JSON.stringify(list), { headers })
  assert.equal(refused.status, 503)
  assert.equal(refused.headers['retry-after'], '5')
  assert.match(refused.body.error?.message ?? '', /stopping/)
  assert.equal(refused.body.id, 7)
  await assert.rejects(client.listTools(), /stopping/)
  question.answer()
  assert.match(JSON.stringify(await calling), /ada@example\.org/)
  await until(() => client.transport === undefined)
  assert.equal((await down).code, 0)
})

test('SIGTERM: a call that outlasts the bound is cut and answered, and a subscription ends', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { asker: ['asker'] })
  await cordon.ask(['down'])
  writeFileSync(path.join(cordon.home, 'config.toml'), '[gateway]\ndrain_seconds = 0\n')
  await cordon.ask(['up', '--detach'])
  const { url = '' } = await cordon.ask<{ url?: string }>(['client', 'list'])
  const question = createQuestion()
  const client = await connect({ ...gateway, url }, { way: 'lines', ...ELICITS }, (one) => {
    one.setRequestHandler('elicitation/create', question.handle)
  })
  const refused = assert.rejects(client.callTool(ASKS), /Cordon stopped before this request/)
  await question.put
  const listening = await subscribe(url, gateway.token)
  const { pid } = await cordon.ask<{ pid: number }>(['status'])
  process.kill(pid, 'SIGTERM')
  await refused
  assert.match(await listening(), /"id":"news","result"/)
  await until(() => !isAlive(pid))
})

test('the bound is refused with a hint where it is no number', async () => {
  await using cordon = openCordon()
  await cordon.ask(['up', '--detach'])
  await cordon.ask(['down'])
  writeFileSync(path.join(cordon.home, 'config.toml'), '[gateway]\ndrain_seconds = "soon"\n')
  const { code, stderr } = await cordon.run(['up', '--detach'])
  assert.equal(code, 2)
  assert.match(stderr, /hint: Under `\[gateway\]` write/)
})

/** Resolves once the subscription is open; the function returns the rest of its stream. */
async function subscribe(url: string, token: string): Promise<() => Promise<string>> {
  const meta = 'io.modelcontextprotocol'
  const _meta = {
    [`${meta}/protocolVersion`]: '2026-07-28',
    [`${meta}/clientInfo`]: { name: 'test', version: '1' },
    [`${meta}/clientCapabilities`]: {},
  }
  const method = 'subscriptions/listen'
  const params = { _meta, notifications: { toolsListChanged: true } }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'news', method, params }),
  })
  assert.equal(response.status, 200)
  return async () => await response.text()
}

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')
  } catch {
    return false
  }
}
