import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { type Answers, runFake } from '../fake-surface.ts'

/** A person at a terminal, who types nothing. */
const PERSON = { isTTY: true }

type Item = ShownApproval['items'][number]

function item(server: string, digit: string): Item {
  return {
    digest: digit.repeat(64),
    callId: 'c1',
    tool: { server: parseServerId(server), name: 'send' },
    serverName: server,
    effect: 'write',
    rule: 'x',
    reason: 'x',
    offers: [],
    args: {},
    labels: {},
  }
}

function question(...items: readonly Item[]): ShownApproval {
  return {
    id: 'q1',
    taskId: 't1',
    state: 'pending',
    createdAt: '2026-11-15T10:00:00.000Z',
    expiresAt: '2026-11-15T10:05:00.000Z',
    items,
    answeredHow: [],
    isWaitedFor: false,
    needsFullView: false,
    lines: [[{ text: 'to: ‹x\u001b[2Jy›', tone: 'external' }]],
    more: [],
  }
}

function answersFor(shown: ShownApproval): Answers {
  return {
    'approvals.show': async () => shown,
    'approvals.list': async () => ({ version: 1, approvals: [shown] }),
    'approvals.answer': async ({ quarantine }) => ({
      approval: shown,
      grants: [],
      quarantined: quarantine ? ['mail'] : [],
    }),
  }
}

test('P9: calls of several servers are not allowed all at once, but one by one', async () => {
  const answers = answersFor(question(item('mail', 'a'), item('bank', 'b')))
  const all = await runFake(['approvals', 'approve', 'q1'], answers, PERSON)
  assert.equal(all.code, 2)
  assert.match(all.stderr, /hint: Say for which: `cordon approvals approve q1 --server mail`/)
  assert.deepEqual(
    all.calls.map(([route]) => route),
    ['approvals.show'],
  )
  const one = await runFake(
    ['approvals', 'approve', 'q1', '--only', 'a'.repeat(8)],
    answers,
    PERSON,
  )
  assert.equal(one.code, 0)
  const sent = { id: 'q1', allow: ['a'.repeat(8)], channel: 'terminal' }
  assert.deepEqual(one.calls.at(-1), ['approvals.answer', sent])
  const named = await runFake(['approvals', 'approve', 'q1', '--server', 'bank'], answers, PERSON)
  const bank = { id: 'q1', allow: ['b'.repeat(32)], server: 'bank', channel: 'terminal' }
  assert.deepEqual(named.calls.at(-1), ['approvals.answer', bank])
})

test('a no can be about one server, and can quarantine it; the answer says what to do next', async () => {
  const answers = answersFor(question(item('mail', 'a'), item('bank', 'b')))
  const words = ['approvals', 'deny', 'q1', '--server', 'mail', '--quarantine']
  const { calls, stdout } = await runFake(words, answers, PERSON)
  const no = { id: 'q1', allow: [], server: 'mail', quarantine: true, channel: 'terminal' }
  assert.deepEqual(calls, [['approvals.answer', no]])
  assert.match(stdout, /^mail is quarantined: .* `cordon tools accept mail`\.$/m)
})

test('an answer echoes the beginning of what was shown, and what is allowed beyond it', async () => {
  const answers = answersFor(question(item('mail', 'a'), item('mail', 'b')))
  const allow = ['a'.repeat(32), 'b'.repeat(32)]
  for (const [words, more] of [
    [[], {}],
    [['--endorse'], { grant: 'endorse' }],
    [['--grant', 'spend'], { grant: 'spend' }],
  ] as const) {
    const { calls } = await runFake(['approvals', 'approve', 'q1', ...words], answers, PERSON)
    const sent = { id: 'q1', allow, channel: 'terminal', ...more }
    assert.deepEqual(calls.at(-1), ['approvals.answer', sent])
  }
  const denied = await runFake(['approvals', 'deny', 'q1'], answers, PERSON)
  const no = { id: 'q1', allow: [], channel: 'terminal' }
  assert.deepEqual(denied.calls, [['approvals.answer', no]])
  const unknown = await runFake(['approvals', 'approve', 'q1', '--grant', 'everything'], answers)
  assert.deepEqual([unknown.code, unknown.calls], [2, []])
})

test('what is shown says how to go on, and moves no cursor', async () => {
  const short = await runFake(['approvals', 'show', 'q1'], answersFor(question(item('mail', 'a'))))
  assert.match(short.stdout, /^to: ‹x\\u001b\[2Jy›$/m)
  assert.match(short.stdout, /^Answer with `cordon approvals approve q1`/m)
  const long = { ...question(item('mail', 'a')), needsFullView: true }
  const { stdout } = await runFake(['approvals', 'show', 'q1'], answersFor(long))
  assert.match(stdout, /^Read all of it first: `cordon approvals show q1 --full`\.$/m)
  const list = await runFake(['approvals', 'list'], answersFor(long))
  assert.match(list.stdout, /^q1 +pending +mail\.send +until .*Z +nobody waits for it now$/m)
})

test('APPROVAL-4: a process without a terminal approves only under a flag that says so, and may always deny', async () => {
  const answers = answersFor(question(item('mail', 'a')))
  const words = ['approvals', 'approve', 'q1']
  const refused = await runFake(words, answers)
  assert.deepEqual([refused.code, refused.calls], [3, []])
  assert.match(refused.stderr, /Cannot approve without a terminal: a person answers/)
  assert.match(refused.stderr, /hint: Run it in a terminal, or add `--without-a-person`/)
  const allow = ['a'.repeat(32)]
  const told = await runFake([...words, '--without-a-person'], answers)
  assert.deepEqual(told.calls.at(-1), ['approvals.answer', { id: 'q1', allow, channel: 'program' }])
  const denied = await runFake(['approvals', 'deny', 'q1'], answers)
  const no = { id: 'q1', allow: [], channel: 'program' }
  assert.deepEqual(denied.calls.at(-1), ['approvals.answer', no])
  const person = await runFake([...words, '--without-a-person'], answers, PERSON)
  const said = { id: 'q1', allow, channel: 'terminal' }
  assert.deepEqual(person.calls.at(-1), ['approvals.answer', said], 'a person stays one')
})

test('a question that a program answered is shown as such', async () => {
  const over = {
    ...question(item('mail', 'a')),
    state: 'answered',
    answeredHow: ['program'],
  } as const
  const list = await runFake(['approvals', 'list', '--all'], answersFor(over))
  assert.match(list.stdout, /answered by a program, without a person$/m)
  const shown = await runFake(['approvals', 'show', 'q1'], answersFor(over))
  assert.match(shown.stdout, /^This was answered by a program, without a person\.$/m)
})
