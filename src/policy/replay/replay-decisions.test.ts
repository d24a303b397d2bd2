import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AuditRecord } from '../../kernel/audit-record.ts'
import type { Grant } from '../../kernel/grant.ts'
import { OWNER } from '../../kernel/principal.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { ownCall } from '../../kernel/own-call.ts'
import { factsOf } from '../../kernel/test-facts.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { Labelled } from '../../labels/labelled.ts'
import type { Label } from '../../labels/label.ts'
import { decide } from '../decide.ts'
import { questions } from '../test-arbitrary-question.ts'
import { readGrounds, spellGrounds } from './grounds.ts'
import { replayDecisions } from './replay-decisions.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')
const FOREIGN: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }

function record(seq: number, facts: ToolFacts, label: Label, at = NOW - 1000): AuditRecord {
  const request = ownCall(OWNER, facts.id, {})
  const args = { 'to: |x': new Labelled('v', { label }) }
  const verdict = decide({
    principal: 'owner',
    facts,
    task: request.task,
    args: [
      { name: 'to: |x', role: facts.roles.get('to: |x') ?? 'target', label, isEndorsed: false },
    ],
    grants: [],
  })
  return {
    seq,
    at: new Date(at).toISOString(),
    kind: 'call.begin',
    principal: OWNER.id,
    subject: `${facts.id.server}.${facts.id.name}`,
    details: {
      effect: facts.effect,
      verdict: verdict.kind,
      rule: verdict.rule,
      grounds: spellGrounds({ ...request, args }, facts),
    },
    prev: '',
    hash: '',
  }
}

function over(records: readonly AuditRecord[], grants: readonly Grant[] = [], damage?: string) {
  return {
    owner: OWNER.id,
    now: () => NOW,
    grants: async () => grants,
    audit: {
      damage,
      read: async ({ after, limit }: { readonly after?: number; readonly limit: number }) =>
        after === undefined
          ? records.slice(-limit)
          : records.filter(({ seq }) => seq > after).slice(0, limit),
    },
  }
}

const close = factsOf({
  id: { server: parseServerId('todo'), name: 'close_task' },
  effect: 'destructive',
})
const post = factsOf({
  id: { server: parseServerId('chat'), name: 'post' },
  roles: new Map([['to: |x', 'content']]),
})
const OWN: Label = { integrity: 'user', level: 'internal', origins: new Set() }
const plain = { days: 30, grants: [], without: [] }

test('a grant that is tried shows which questions it would have saved', async () => {
  const records = [
    record(1, close, OWN),
    record(2, close, OWN),
    record(3, post, FOREIGN),
    record(4, post, OWN),
  ]
  const grants = [
    { kind: 'tool', tool: 'todo.close_task' },
    { kind: 'flow', origin: 'mail', tool: 'chat.post' },
  ] as const
  const report = await replayDecisions(over(records), { ...plain, grants })
  assert.deepEqual(report.before, { allow: 1, ask: 3, deny: 0 })
  assert.deepEqual(report.today, report.before)
  assert.deepEqual(report.changed, { allow: 4, ask: 0, deny: 0 })
  assert.deepEqual(
    report.differences.map(({ tool, from, to, times }) => [tool, from, to, times]),
    [
      ['todo.close_task', 'ask', 'allow', 2],
      ['chat.post', 'ask', 'allow', 1],
    ],
  )
})

test('a grant that is left out shows which questions would come back; a grant for another tool changes nothing', async () => {
  const held: Grant = {
    kind: 'tool',
    id: 'g1',
    owner: OWNER.id,
    server: close.id.server,
    tool: 'close_task',
    hash: 'h',
    serverPin: 'p',
    createdAt: 0,
    expiresAt: NOW,
    usesLeft: 3,
  }
  const records = [record(1, close, OWN)]
  const without = await replayDecisions(over(records, [held]), { ...plain, without: ['g1'] })
  assert.deepEqual([without.today.allow, without.changed.ask], [1, 1])
  const other = await replayDecisions(over(records), {
    ...plain,
    grants: [{ kind: 'tool', tool: 'todo.other' }],
  })
  assert.deepEqual(other.differences, [])
})

test('old calls, other records and unreadable grounds are left out, and counted', async () => {
  const old = record(1, close, OWN, NOW - 40 * 24 * 3_600_000)
  const damaged = {
    ...record(2, close, OWN),
    details: { effect: 'write', verdict: 'ask', grounds: '1|x|%%|' },
  }
  const bare = { ...record(3, close, OWN), details: { effect: 'write', verdict: 'ask' } }
  const end = { ...record(4, close, OWN), kind: 'call.end' as const }
  const report = await replayDecisions(
    over([old, damaged, bare, end, record(5, close, OWN)], [], 'record 3 is broken'),
    plain,
  )
  assert.deepEqual([report.decisions, report.unjudged, report.damage], [1, 2, 'record 3 is broken'])
})

test('a long log is read from where the days begin', async () => {
  const old = Array.from({ length: 5000 }, (_, at) =>
    record(at + 1, close, OWN, NOW - 60 * 24 * 3_600_000),
  )
  const fresh = Array.from({ length: 2500 }, (_, at) => record(at + 5001, close, OWN))
  let reads = 0
  const deps = over([...old, ...fresh])
  const read: typeof deps.audit.read = async (window) => {
    reads += 1
    return await deps.audit.read(window)
  }
  const report = await replayDecisions({ ...deps, audit: { ...deps.audit, read } }, plain)
  assert.equal(report.decisions, 2500)
  assert.ok(reads < 12, `${reads} reads`)
})

test('grounds that are read give the same decision', () => {
  fc.assert(
    fc.property(questions, (question) => {
      const { facts, task, args } = question
      const plainArgs = args.map(({ name, role, label }) => ({
        name,
        role,
        label,
        isEndorsed: false,
      }))
      const roles = new Map(plainArgs.map(({ name, role }) => [name, role] as const))
      const { template: _t, expects: _e, ...rest } = task
      const bare = {
        ...question,
        task: rest,
        args: plainArgs,
        facts: { ...facts, roles },
        principal: 'owner' as const,
        grants: [],
      }
      const { blocked: _b, ...open } = bare.facts
      const request = {
        ...ownCall(OWNER, facts.id, {}),
        task: rest,
        args: Object.fromEntries(
          plainArgs.map(({ name, label }) => [name, new Labelled('v', { label })]),
        ),
      }
      const read =
        readGrounds(spellGrounds(request, bare.facts), facts.id, facts.effect) ?? assert.fail()
      const again = decide({ ...read, grants: [] })
      const names = new Set(plainArgs.map(({ name }) => name))
      if (names.size < plainArgs.length) return
      assert.equal(again.rule, decide({ ...bare, facts: open }).rule)
    }),
  )
})
