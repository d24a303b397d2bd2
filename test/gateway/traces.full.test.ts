/** Spans of a real kernel at a real collector, and the trace context on its way from a client to a server. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, openCordon } from '../fixtures/cordon.ts'
import type { Client } from '@modelcontextprotocol/client'
import {
  attributesOf,
  openOtlpReceiver,
  type OtlpReceiver,
  type ReceivedSpan,
} from '../fixtures/otlp-receiver.ts'
import { until } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

const CANARY = 'canary-9c2e'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const SERVERS = { echo: ['echo'], old: ['traced'], modern: ['traced', 'modern'] }

const textOf = ({ content }: { readonly content: unknown }): string =>
  (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('')

/** A client of a kernel that was started again with this collector. */
async function openTraced(cordon: Cordon, { url: collector }: OtlpReceiver): Promise<Client> {
  const gateway = await openGateway(cordon, SERVERS)
  await cordon.ask(['down'])
  writeFileSync(path.join(cordon.home, 'config.toml'), `[gateway]\ntraces = "${collector}"\n`)
  await cordon.ask(['up', '--detach'])
  const { url = '' } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  return await connect({ ...gateway, url }, { way: 'lines' })
}

function found(span: ReceivedSpan | undefined): ReceivedSpan {
  assert.ok(span)
  return span
}

test('a request is one trace: the client begins it, Cordon adds two spans, and the server is told', async () => {
  await using collector = await openOtlpReceiver()
  await using cordon = openCordon()
  const client = await openTraced(cordon, collector)
  const _meta = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: CANARY, baggage: CANARY }
  for (const server of ['old', 'modern']) {
    const name = `${server}__trace`
    const told = textOf(await client.callTool({ name, arguments: {}, _meta }))
    const spanOf = (id: string | undefined) => collector.spans.find(({ spanId }) => spanId === id)
    const [, , callId] = told.split('-')
    await until(() => spanOf(spanOf(callId)?.parentSpanId) !== undefined)
    const call = found(spanOf(callId))
    const request = found(spanOf(call.parentSpanId))
    assert.equal(told, `00-${TRACE}-${call.spanId}-01`)
    assert.deepEqual([request.traceId, request.parentSpanId], [TRACE, SPAN])
    assert.deepEqual([request.kind, call.kind], [2, 3])
    assert.deepEqual([request.name, call.name], [`tools/call ${name}`, 'tools/call trace'])
    assert.partialDeepStrictEqual(attributesOf(request), {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'cordon.client': 'claude',
    })
    const about = { 'gen_ai.tool.name': 'trace', 'cordon.server': server }
    assert.partialDeepStrictEqual(attributesOf(call), about)
    assert.deepEqual(request.status, {})
  }
  await client.close()
  assert.deepEqual(collector.refused, [])
  assert.doesNotMatch(collector.bodies.join(), new RegExp(CANARY))
})

test('spans say the kind of a failure and no word of it; an unsampled trace is not recorded', async () => {
  await using collector = await openOtlpReceiver()
  await using cordon = openCordon()
  const client = await openTraced(cordon, collector)
  const _meta = { traceparent: `00-${TRACE}-${SPAN}-00` }
  const told = textOf(await client.callTool({ name: 'old__trace', arguments: {}, _meta }))
  assert.match(told, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))

  await client.callTool({ name: 'echo__fail', arguments: { text: CANARY } })
  await assert.rejects(client.callTool({ name: 'echo__none', arguments: { text: CANARY } }))
  await client.close()
  await cordon.ask(['down']) // sends the last spans
  const named = (name: string) => found(collector.spans.find((span) => span.name === name))
  const types = ['tools/call echo__fail', 'tools/call fail', 'tools/call echo__none'].map(
    (name) => attributesOf(named(name))['error.type'],
  )
  assert.deepEqual(types, ['tool_error', 'failed', '-32602'])
  assert.equal(named('tools/call echo__fail').status.code, 2)
  assert.ok(collector.spans.every(({ traceId }) => traceId !== TRACE))
  assert.doesNotMatch(collector.bodies.join(), new RegExp(CANARY))
})

test('without a collector a server is told no trace, whatever the client says', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { old: ['traced'] })
  const client = await connect(gateway, { way: 'lines' })
  const _meta = { traceparent: `00-${TRACE}-${SPAN}-01` }
  assert.equal(textOf(await client.callTool({ name: 'old__trace', arguments: {}, _meta })), 'none')
  await client.close()
})
