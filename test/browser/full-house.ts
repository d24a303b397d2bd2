/**
 * Fake answers for every screen, with something in each list. `say` makes each string that a server, a registry, a file
 * or another person chose: plain words for a test of the look, a payload for a test of what it may do to the page.
 */
import type { Output } from '../../src/api/contract.ts'
import type { FakeAnswers } from '../../src/api/fake-api.ts'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { AuditRecord } from '../../src/kernel/audit-record.ts'
import type { FlowRun } from '../../src/ports/flow-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { TurnEvent } from '../../src/ports/turn-port.ts'
import { DETAILS, LISTING } from './open-page.ts'

export type Say = (where: string) => string

const AT = '2030-01-01T00:00:00.000Z'
const notion = parseServerId('notion')

export function createFullHouse(say: Say): FakeAnswers {
  return { ...servers(say), ...attention(say), ...records(say), ...talk(say), ...kept(say) }
}

function servers(say: Say): FakeAnswers {
  const named = {
    name: say('name'),
    description: say('description'),
    account: say('account'),
    allowedDomains: [say('domain')],
    warnings: [say('warning')],
    state: {
      ...DETAILS.state,
      quarantined: 1,
      reason: say('reason'),
      blockedHosts: [say('host')],
      memoryBytes: 2 ** 26,
      startedAt: AT,
    },
  }
  const proposed = { says: 'read', effect: 'destructive', by: 'unsaid', isWaiting: false } as const
  const tool = { ...proposed, name: say('tool'), because: say('because') }
  const described = { name: say('tool'), title: say('title'), description: say('tool text') }
  return {
    'mcp.list': async () => ({
      ...LISTING,
      servers: [{ ...DETAILS, ...named }],
      untrusted: { folder: say('folder'), files: [say('file')] },
    }),
    'mcp.show': async () => ({ ...DETAILS, ...named }),
    'mcp.logs': async () => ({
      lines: [{ seq: 1, at: AT, from: 'stderr', text: say('log') }],
    }),
    'mcp.changes': async () => ({
      changes: [{ name: say('changed tool'), now: { description: say('new text') }, hash: 'a' }],
    }),
    'mcp.tools': async () => ({
      tools: [{ ...described, inputSchema: {}, hash: 'a'.repeat(64), quarantined: false }],
    }),
    'tools.proposal': async () => ({
      server: notion,
      set: 'a'.repeat(64),
      summary: 'Nobody vouches for 1 tool',
      tools: [{ ...tool, doubt: say('doubt') }],
    }),
    'catalog.list': async () => ({ services: [] }),
  }
}

export const ASKED: ShownApproval = {
  id: 'q1',
  taskId: 't',
  state: 'pending',
  createdAt: AT,
  expiresAt: AT,
  isWaitedFor: true,
  needsFullView: true,
  answeredHow: [],
  lines: [],
  more: [],
  items: [
    {
      digest: 'd'.repeat(64),
      callId: 'c',
      tool: { server: notion, name: 'delete' },
      serverName: 'Notion',
      effect: 'destructive',
      rule: 'destructive',
      reason: 'x',
      offers: ['tool'],
      args: {},
      labels: {},
    },
  ],
}

function attention(say: Say): FakeAnswers {
  const [item] = ASKED.items
  const approval: ShownApproval = {
    ...ASKED,
    lines: [[{ text: say('question'), tone: 'external' }]],
    more: [[{ text: say('more'), tone: 'quiet' }]],
    items: item
      ? [{ ...item, serverName: say('name'), tool: { server: notion, name: say('tool') } }]
      : [],
  }
  const notice = {
    id: 'notion:sign-in',
    kind: 'sign-in',
    server: 'notion',
    items: [say('item')],
    what: say('notice'),
    hint: say('hint'),
    since: AT,
    last: AT,
    count: 2,
    isSeen: false,
  }
  const grant: Output<'grants.list'>['grants'][number] = {
    id: 'g1',
    server: 'notion',
    tool: say('tool'),
    grant: { kind: 'tool' },
    createdAt: AT,
    expiresAt: AT,
    usesLeft: 5,
    uses: 2,
    lastUsedAt: null,
    isUnused: true,
    isVoid: true,
  }
  return {
    'approvals.list': async ({ all = false }) => ({
      version: 1,
      approvals: [
        approval,
        ...(all ? [{ ...approval, id: 'q0', state: 'answered' as const }] : []),
      ],
    }),
    'approvals.show': async () => approval,
    'grants.list': async () => ({ grants: [grant] }),
    'notices.list': async () => ({ version: 1, notices: [notice] }),
    'auth.status': async () => ({
      tokens: [{ name: 'notion', account: say('account'), expiresAt: AT, state: 'fresh' }],
    }),
  }
}

function records(say: Say): FakeAnswers {
  const record = (seq: number, kind: AuditRecord['kind']): AuditRecord => ({
    seq,
    at: AT,
    kind,
    principal: OWNER.id,
    subject: say('subject'),
    details: { why: say('detail') },
    prev: '0'.repeat(64),
    hash: 'f'.repeat(64),
  })
  return {
    'audit.daily': async () => ({
      days: [
        { day: '2029-12-31', ran: 3, blocked: 0 },
        { day: '2030-01-01', ran: 5, blocked: 2 },
      ],
    }),
    'audit.prove': async () => ({
      record: record(2, 'call.begin'),
      computed: 'f'.repeat(64),
      before: '0'.repeat(64),
      problem: say('problem'),
    }),
    'audit.search': async ({ kind }) => ({
      records: kind === 'egress.blocked' ? [record(1, kind)] : [record(2, 'call.begin')],
    }),
  }
}

/** One turn that uses a tool and answers in markdown, with lines that a server wrote. */
function talk(say: Say): FakeAnswers {
  const tool = { server: notion, name: say('tool') }
  const events: readonly TurnEvent[] = [
    {
      number: 1,
      kind: 'plan',
      text: say('plan'),
      steps: [
        { tool, args: [{ name: say('argument'), shown: say('value') }], asks: say('reason') },
      ],
    },
    {
      number: 2,
      kind: 'using',
      step: 's',
      tool,
      args: [{ name: say('argument'), shown: say('value') }],
    },
    { number: 3, kind: 'used', step: 's', tool, outcome: 'failed' },
    {
      number: 4,
      kind: 'answer',
      isQuestion: false,
      text: `${say('answer')}\n\n│ ${say('result').replaceAll('\n', '\n│ ')}\n\nThat is all.`,
      from: [say('origin')],
      canBeSaved: true,
    },
  ]
  return {
    'chat.send': async () => ({ reply: '', wasSecret: false, connection: null, turn: 't1' }),
    'chat.follow': async ({ after }) => ({
      turn: 't1',
      isOver: true,
      events: events.filter(({ number }) => number > after),
    }),
  }
}

function kept(say: Say): FakeAnswers {
  const fact = {
    number: 1,
    text: say('fact'),
    isOthers: true,
    from: [say('origin')],
    channel: 'page',
    message: say('message'),
    tool: say('tool'),
    keptAt: AT,
  }
  const turn = {
    number: 1,
    at: AT,
    channel: 'page',
    said: say('said'),
    answered: say('answered'),
    from: [say('origin')],
  }
  const run: FlowRun = {
    id: 'r1',
    flow: 'morning',
    state: 'failed',
    principal: OWNER.id,
    startedAt: AT,
    stepsDone: 1,
    problem: { code: 'x.y', message: say('run problem'), hint: 'x' },
  }
  const result = { name: 'result1', type: 'text', tool: say('tool'), at: AT } as const
  return {
    'memory.list': async () => ({ facts: [fact], results: [result] }),
    'memory.history': async () => ({ turns: [turn] }),
    'flows.runs': async () => ({ runs: [run] }),
    'flows.schedules': async () => ({
      schedules: [
        {
          name: 'morning',
          cron: '0 8 * * 1-5',
          timezone: 'UTC',
          sinks: ['owner'],
          template: 'reads',
          inputs: {},
          overlap: 'skip',
          catchUp: 'once',
          createdAt: AT,
          problem: 'Its template is gone',
        },
      ],
    }),
    'memory.search': async () => ({ facts: [fact], turns: [turn] }),
  }
}
