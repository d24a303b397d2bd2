/** The older transport, HTTP+SSE, and the streams of the legacy era: behind the same token, ended with their client. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, SSEClientTransport } from '@modelcontextprotocol/client'
import { openCordon } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

test('a client of HTTP+SSE lists, calls, reads and is told of changes', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  const requestInit = { headers: { Authorization: `Bearer ${gateway.token}` } }
  const client = new Client({ name: 'old', version: '1' })
  let changes = 0
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    changes += 1
  })
  const eventSourceInit = {
    fetch: (url: string | URL, init?: RequestInit) =>
      fetch(url, { ...init, headers: { ...requestInit.headers, Accept: 'text/event-stream' } }),
  }
  const url = new URL('/sse', gateway.url)
  await client.connect(new SSEClientTransport(url, { requestInit, eventSourceInit }))
  const { tools } = await client.listTools()
  assert.ok(tools.some(({ name }) => name === 'notes__touch'))
  const { contents } = await client.readResource({ uri: 'notes://note/one' })
  assert.match(JSON.stringify(contents), /first note/)
  await client.callTool({ name: 'notes__grow', arguments: {} })
  await until(() => changes > 0)
  await client.close()
})

test('GATE-1: the streams want the token, refuse web pages, and end when their client is removed', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  const at = (path: string): URL => new URL(path, gateway.url)
  const events = { Accept: 'text/event-stream' }
  const own = { ...events, Authorization: `Bearer ${gateway.token}` }
  assert.equal((await fetch(at('/sse'), { headers: events })).status, 401)
  assert.equal(
    (await fetch(at('/sse'), { headers: { ...own, Origin: 'http://evil.example' } })).status,
    403,
  )
  assert.equal(
    (await fetch(at('/messages?sessionId=x'), { method: 'POST', body: '{}' })).status,
    401,
  )
  const lost = await fetch(at('/messages?sessionId=x'), {
    method: 'POST',
    body: '{}',
    headers: own,
  })
  assert.equal(lost.status, 404)
  assert.equal((await fetch(at('/mcp'), { headers: own })).status, 405)
  const unknown = await fetch(at('/mcp'), { headers: { ...own, 'Mcp-Session-Id': 'x' } })
  assert.equal(unknown.status, 404)
  const stream = await fetch(at('/sse'), { headers: own })
  assert.equal(stream.status, 200)
  const reader = (stream.body ?? assert.fail('no body')).getReader()
  const first = Buffer.from((await reader.read()).value ?? []).toString()
  assert.match(first, /^event: endpoint\ndata: \/messages\?sessionId=/)
  const client = await connect(gateway, {})
  await cordon.ask(['client', 'remove', 'claude', '--yes'])
  await assert.rejects(reader.read()) // cut off, as an answer under way is
  await client.close()
})
