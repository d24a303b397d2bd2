import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { PLAN } from '../../kernel/built-in-tools.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { type Answers, runFake } from '../fake-surface.ts'

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

/** A call that ends once all its answers are given. */
function asking(items: readonly Item[]): Answers {
  const shown: ShownApproval = {
    id: 'q1',
    taskId: 't1',
    state: 'pending',
    createdAt: '2026-11-15T10:00:00.000Z',
    expiresAt: '2026-11-15T10:05:00.000Z',
    items,
    answeredHow: [],
    isWaitedFor: true,
    needsFullView: false,
    lines: [[{ text: 'Question q1', tone: 'strong' }]],
    more: [[{ text: 'Behind it', tone: 'quiet' }]],
  }
  const servers = new Set(items.map(({ tool }) => tool.server))
  const answered = Promise.withResolvers<void>()
  let left = servers.size
  return {
    'mcp.call': async () => {
      await answered.promise
      return { kind: 'refused', reason: 'The owner said no', rule: 'approval.denied' }
    },
    'approvals.follow': async () => ({ approval: shown, isUnderWay: true }),
    'approvals.show': async () => shown,
    'approvals.answer': async ({ server = '', quarantine }) => {
      left -= 1
      if (left === 0) answered.resolve()
      return { approval: shown, grants: [], quarantined: quarantine ? [server] : [] }
    },
  }
}

const said = async (items: readonly Item[], typed: string) => {
  const ran = await runFake(['mcp', 'call', 'mail.send'], asking(items), { isTTY: true, typed })
  const answers = ran.calls.filter(([route]) => route === 'approvals.answer')
  return { ...ran, answers: answers.map(([, input]) => input) }
}
const mail = { id: 'q1', server: 'mail', channel: 'terminal' }

test('everything but a yes is a no, and q quarantines the server', async () => {
  const yes = await said([item('mail', 'a')], 'y')
  assert.deepEqual(yes.answers, [{ ...mail, allow: ['a'.repeat(32)] }])
  for (const typed of ['n', '\r', '\u0003']) {
    assert.deepEqual((await said([item('mail', 'a')], typed)).answers, [{ ...mail, allow: [] }])
  }
  const { answers, stderr } = await said([item('mail', 'a')], 'q')
  assert.deepEqual(answers, [{ ...mail, allow: [], quarantine: true }])
  assert.match(stderr, /mail is quarantined: .* `cordon tools accept mail`/)
})

test('a allows for good what every call of the server offers, and is no key where nothing is offered', async () => {
  const offers = ['endorse', 'tool'] as const
  const all = await said([{ ...item('mail', 'a'), offers }], 'a')
  assert.deepEqual(all.answers, [{ ...mail, allow: ['a'.repeat(32)], grant: 'tool' }])
  assert.match(all.stderr, /always for this tool, for 90 days/)
  assert.doesNotMatch(all.stderr, /whoever chooses/)
  const wide = await said([{ ...item('mail', 'a'), offers, takesIds: true }], 'a')
  assert.match(wide.stderr, /whoever chooses among the ids of mail/)
  const some = await said([{ ...item('mail', 'a'), offers }, item('mail', 'b')], 'a\r')
  assert.deepEqual(some.answers, [{ ...mail, allow: [] }])
  assert.doesNotMatch(some.stderr, /always for this tool/)
})

test('P9: of several servers each is asked about on its own', async () => {
  const { answers } = await said([item('mail', 'a'), item('bank', 'b'), item('mail', 'c')], 'y')
  assert.deepEqual(answers, [
    { ...mail, allow: ['a'.repeat(32), 'c'.repeat(32)] },
    { ...mail, server: 'bank', allow: ['b'.repeat(32)] },
  ])
})

test('a question that nobody puts is waited for without spinning, until the call is over', async () => {
  const over = Promise.withResolvers<void>()
  setImmediate(() => over.resolve()) // never runs if the loop spins
  const answers: Answers = {
    'mcp.call': async () => {
      await over.promise
      return { kind: 'ok', value: 'done' }
    },
    'approvals.follow': async () => ({ approval: null, isUnderWay: true }),
  }
  const ran = await runFake(['mcp', 'call', 'mail.send'], answers, { isTTY: true })
  assert.deepEqual([ran.code, ran.stdout], [0, 'done\n'])
})

test('a plan is allowed as a whole or not at all, and there is nothing to quarantine', async () => {
  const whole: Item = { ...item('mail', 'd'), tool: { server: PLAN, name: 'digest' } }
  const plan = { id: 'q1', server: PLAN, channel: 'terminal' }
  const yes = await said([whole], 'y')
  assert.deepEqual(yes.answers, [{ ...plan, allow: ['d'.repeat(32)] }])
  assert.match(yes.stderr, /Allow the whole plan, once\?/)
  assert.doesNotMatch(yes.stderr, /quarantine/)
  for (const typed of ['n', '\r', '\u0003']) {
    assert.deepEqual((await said([whole], typed)).answers, [{ ...plan, allow: [] }])
  }
})
