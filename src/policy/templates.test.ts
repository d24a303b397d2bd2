import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER_SINK, type Sink } from '../labels/sink.ts'
import { clearedSink, parseTemplate } from './templates.ts'

test('a template is read with every limit at its strict end, and refused where a word is misspelled', () => {
  const report = parseTemplate('report', { allowed_tools: ['notion.*'] })
  assert.deepEqual(report, {
    name: 'report',
    allowed: ['notion.*'],
    denied: [],
    maxCalls: 10,
    ceiling: 'internal',
    sinks: [],
    asksForWrites: true,
  })
  const bad = [{ alowed_tools: ['*'] }, { data_ceiling: 'secret' }, { max_tool_calls: -1 }, 7]
  for (const input of bad) {
    assert.throws(() => parseTemplate('x', input), { code: 'policy.template', exit: 2 })
  }
})

test('POLICY-6: a task answers only where its template says, and an unknown sink is told nothing', () => {
  const sinks: readonly Sink[] = [
    OWNER_SINK,
    { name: 'sink:telegram:peer:7', clearance: 'internal' },
    { name: 'sink:whatsapp:1', clearance: 'public' },
  ]
  const report = parseTemplate('report', { output_sinks: ['sink:owner', 'sink:telegram:*'] })
  assert.equal(clearedSink('sink:owner', report, sinks)?.clearance, 'regulated')
  assert.equal(clearedSink('sink:telegram:peer:7', report, sinks)?.clearance, 'internal')
  assert.equal(clearedSink('sink:whatsapp:1', report, sinks), undefined)
  assert.equal(clearedSink('sink:whatsapp:1', undefined, sinks)?.clearance, 'public')
  assert.equal(clearedSink('sink:nowhere', undefined, sinks), undefined)
})
