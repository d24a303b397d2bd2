/** A request that its client cancels gets no answer (MCP, "Cancellation"), by both ways. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bearer,
  openGatewayCordon,
  openLines,
  post,
  textOf,
  toolCall,
} from '../fixtures/gateway-cordon.ts'
import { until } from '../fixtures/until.ts'

const cancelled = (requestId: number): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  },
}

test('over lines a cancelled request is not answered, and the next one is', async () => {
  await using gateway = await openGatewayCordon({ notes: ['features', 'legacy', 'notes'] }, ['one'])
  const lines = openLines(gateway.cordon, 'one')
  const _meta = { progressToken: 1 }
  const params = { name: 'notes__wait', arguments: {}, _meta }
  lines.write(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }))
  // The server has it: it tells progress.
  assert.equal((await lines.next()).method, 'notifications/progress')
  lines.write(JSON.stringify(cancelled(7)))
  for (let count = '0', id = 8; count !== '1'; id += 1) {
    lines.write(JSON.stringify(toolCall('notes__cancelled', {}, id)))
    const answer = await lines.next()
    assert.equal(answer.id, id, JSON.stringify(answer))
    count = textOf(answer)
  }
})

test('over HTTP the stream of a cancelled request ends without an answer', async () => {
  await using gateway = await openGatewayCordon({ notes: ['features', 'legacy', 'notes'] }, ['one'])
  const token = bearer(gateway.tokenOf('one'))
  const begun = await post(gateway.url, INITIALIZE, { headers: token })
  const headers = { ...token, 'Mcp-Session-Id': String(begun.headers['mcp-session-id']) }
  const accept = { ...headers, Accept: 'application/json, text/event-stream' }
  const waiting = post(gateway.url, toolCall('notes__wait', {}, 7), { headers: accept })
  let isEnded = false
  const ended = waiting.finally(() => {
    isEnded = true
  })
  await until(async () => {
    await post(gateway.url, cancelled(7), { headers })
    return isEnded
  })
  const { status, headers: sent, body } = await ended
  assert.equal(status, 200)
  assert.equal(sent['content-type'], 'text/event-stream')
  assert.deepEqual(body, {})
})
