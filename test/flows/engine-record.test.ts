/** Audit records of runs themselves; the door records their calls. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import { never, startOf, untilOver } from './engine-house.ts'
import { openWithTools, READ } from './engine-tools.ts'

test('that a run started, ended or was cancelled is on record, and nothing of what is in it', async () => {
  const records: string[] = []
  const append = ({ kind, subject, details }: AuditEvent): never => {
    records.push(`${kind} ${subject} ${JSON.stringify(details)}`)
    return {} as never
  }
  await using house = await openWithTools({ rooms: { audit: { append } } })
  await house.flows.start(startOf('r', { nodes: [READ] }), never)
  await untilOver(house.flows, 'r')
  const [started = '', ended] = records
  assert.match(started, /^flows\.started r \{"plan":"[0-9a-f]{64}","by":"principal:owner"\}$/)
  assert.equal(ended, 'flows.ended r {"state":"completed"}')
  assert.equal(records.length, 2)
})
