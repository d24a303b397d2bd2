import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newContext, parseTraceparent, showTraceparent } from './span-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('parseTraceparent() reads what the specification allows, and nothing else', () => {
  const context = { traceId: TRACE, spanId: SPAN, isSampled: true }
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), context)
  assert.deepEqual(parseTraceparent(`01-${TRACE}-${SPAN}-03-later`), context)
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled, false)
  const bad = [
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `01-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
    '',
    7,
    null,
  ]
  for (const value of bad) assert.equal(parseTraceparent(value), undefined, String(value))
})

test('newContext() stays in the trace of its parent and takes over whether it is sampled', () => {
  const parent = { traceId: TRACE, spanId: SPAN, isSampled: false }
  const child = newContext(parent)
  assert.equal(child.traceId, TRACE)
  assert.notEqual(child.spanId, SPAN)
  assert.equal(showTraceparent(child), `00-${TRACE}-${child.spanId}-00`)
  assert.match(showTraceparent(newContext(undefined)), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
})
