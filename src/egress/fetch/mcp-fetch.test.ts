import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createEgress } from '../create-egress.ts'
import { openOutside } from '../test-outside.ts'

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string }
}

/** A minimal remote MCP server: one answer as JSON, the other as a stream of events. */
async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const { id, method, params } = JSON.parse(await text(request)) as Message
  const protocolVersion = params?.protocolVersion
  const serverInfo = { name: 'remote', version: '1.0.0' }
  const results: Readonly<Record<string, object>> = {
    initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  }
  if (id === undefined) return void response.writeHead(202).end()
  const answer = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] })
  if (method === 'initialize') {
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`event: message\ndata: ${answer}\n\n`)
}

test('the MCP client reaches a remote server through a guarded fetch, and no other', async () => {
  await using outside = await openOutside()
  outside.answer = (request, response) => void serveMcp(request, response)
  const fetch = createEgress(outside.parts()).createFetch({ allowedDomains: ['allowed.example'] })
  const client = new Client({ name: 'cordon', version: '0.1.0' })
  const url = new URL('https://allowed.example/mcp')
  await client.connect(new StreamableHTTPClientTransport(url, { fetch }))
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['echo'],
  )
  await client.close()

  const elsewhere = new StreamableHTTPClientTransport(new URL('https://evil.example/mcp'), {
    fetch,
  })
  const other = new Client({ name: 'cordon', version: '0.1.0' })
  await assert.rejects(other.connect(elsewhere), /evil\.example|not on the list/)
  assert.ok(!outside.reached.includes('evil.example'))
})
