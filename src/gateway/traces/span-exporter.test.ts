import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../kernel/ports.ts'
import { SpanExporter } from './span-exporter.ts'
import type { Span } from './trace-requests.ts'

const SPAN: Span = {
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true },
  name: 'tools/list',
  kind: 2,
  startMs: 1000.5,
  endMs: 1001,
  attributes: {},
}

function openExporter(fetch: typeof globalThis.fetch) {
  const warnings: string[] = []
  const log = { warn: (text: string) => void warnings.push(text) } as unknown as Log
  const url = 'http://127.0.0.1:4318/v1/traces'
  return { exporter: new SpanExporter({ fetch, url, version: '1', log }), warnings }
}

test('spans leave in batches, and the rest at the end', async () => {
  const sizes: number[] = []
  const { exporter } = openExporter(async (_url, init) => {
    const body = JSON.parse(init?.body as string) as {
      resourceSpans: { scopeSpans: { spans: { startTimeUnixNano: string }[] }[] }[]
    }
    const spans = body.resourceSpans[0]?.scopeSpans[0]?.spans ?? []
    assert.equal(spans[0]?.startTimeUnixNano, '1000500000')
    sizes.push(spans.length)
    return new Response('{}')
  })
  for (let count = 0; count < 600; count += 1) exporter.add(SPAN)
  await exporter[Symbol.asyncDispose]()
  assert.deepEqual(sizes, [512, 88])
})

test('a collector that is gone costs spans, keeps nothing beyond the bound, and is told of once', async () => {
  let asked = 0
  const { exporter, warnings } = openExporter(async () => {
    asked += 1
    throw new TypeError('refused')
  })
  for (let count = 0; count < 5000; count += 1) exporter.add(SPAN)
  await exporter[Symbol.asyncDispose]()
  assert.equal(asked, 1)
  assert.deepEqual(warnings, ['Spans were dropped: too many were waiting'])
})
