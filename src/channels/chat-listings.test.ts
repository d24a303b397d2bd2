import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api, Route } from '../api/contract.ts'
import { OWNER } from '../kernel/principal.ts'
import { never } from '../kernel/test-never.ts'
import { createChatCommands } from './chat-commands.ts'
import { completeCommand } from './chat-help.ts'

type Answers = Partial<Record<Route, (input: never) => unknown>>

function open(answers: Answers) {
  const calls: [Route, unknown][] = []
  const api = {
    call: async (route: Route, input: never) => {
      calls.push([route, input])
      return answers[route]?.(input)
    },
  } as unknown as Api
  const take = createChatCommands(api, '/home/ann')
  const say = async (text: string, channel = 'terminal') => {
    const reply = await take({ principal: OWNER, text, channel }, never)
    return reply?.kind === 'text' ? reply.text : undefined
  }
  return { calls, say }
}

const NO_GRANTS = { 'grants.list': () => ({ grants: [] }) }

const toolAt = (server: string, name: string, effect: string, more = {}) => ({
  card: { id: { server, name }, title: name, summary: `Does ${name}`, effect, args: [] },
  ...more,
})

const FILES = [
  toolAt('files', 'read', 'local-read'),
  toolAt('files', 'write_all', 'write'),
  toolAt('files', 'odd', 'write', { blocked: 'quarantined' }),
]

test('/tools says of a tool that the owner allowed for good that it is not asked about', async () => {
  const grant = (tool: string, more = {}) => ({
    server: 'shop',
    tool,
    grant: { kind: 'tool' },
    usesLeft: 1,
    isVoid: false,
    ...more,
  })
  const { say } = open({
    'tools.list': () => ({
      tools: ['a', 'b', 'c', 'd'].map((name) => toolAt('shop', name, 'destructive')),
      flags: [],
    }),
    'grants.list': () => ({
      grants: [
        grant('a'),
        grant('b', { isVoid: true }),
        grant('c', { grant: { kind: 'flow', origin: 'x' } }),
        grant('d', { usesLeft: 0 }),
      ],
    }),
  })
  const lines = (await say('/tools'))?.split('\n') ?? []
  assert.deepEqual(
    lines.slice(0, 4).map((line) => line.split(/ +/)[1]),
    ['allowed', 'asks', 'asks', 'asks'],
  )
  assert.match(lines.slice(4).join(), /^asks: .*,allowed: you said .* `cordon grants list`/)
})

test('/tools says what each tool does to the world, and leaves out what cannot be used', async () => {
  const { say } = open({
    ...NO_GRANTS,
    'tools.list': () => ({ tools: [...FILES, toolAt('shop', 'wipe', 'destructive')], flags: [] }),
  })
  const all = await say('/tools')
  assert.equal(
    all,
    [
      'files.read       reads    Does read',
      'files.write_all  changes  Does write_all',
      'shop.wipe        asks     Does wipe',
      '1 cannot be used now: in a shell, `cordon tools list` says why',
      'asks: it may delete, run or do anything, so you are asked before each call',
    ].join('\n'),
  )
  assert.equal(await say('tools'), all)
  assert.doesNotMatch((await say('/tools files')) ?? '', /shop|asks:/)
})

test('/tools with words searches, and a long list is bounded with a hint', async () => {
  const many = Array.from({ length: 30 }, (_, at) => toolAt('big', `t${at}`, 'local-read'))
  const { say } = open({
    ...NO_GRANTS,
    'tools.list': ({ search }: { search?: string }) => ({
      tools: search === undefined ? many : search === 'two words' ? many.slice(0, 1) : [],
      flags: [],
    }),
  })
  const lines = (await say('/tools'))?.split('\n') ?? []
  assert.equal(lines.length, 21)
  assert.equal(lines.at(-1), 'and 10 more: /tools SERVER or /tools WORDS shows fewer')
  assert.equal(await say('/tools two words'), 'big.t0  reads  Does t0')
  assert.equal(await say('/tools x'), 'No tool fits "x". /tools lists them all.')
  assert.match(
    (await open({ ...NO_GRANTS, 'tools.list': () => ({ tools: [] }) }).say('/tools')) ?? '',
    /connect/,
  )
})

test('/audit shows the last decisions without content, the end of each beside its beginning', async () => {
  const begin = (callId: string, subject: string, verdict: string) => ({
    at: '2026-11-16T08:00:00.000Z',
    kind: 'call.begin',
    subject,
    details: { callId, verdict, rule: `${verdict}.rule`, preview: 'CONTENT' },
  })
  const end = (callId: string, subject: string, kind: string) => ({
    kind: 'call.end',
    subject,
    details: { callId, kind },
  })
  const { say, calls } = open({
    'audit.search': () => ({
      records: [
        begin('a', 'files.read', 'allow'),
        begin('b', 'files.write\u001b[2J', 'ask'),
        end('b', 'files.write\u001b[2J', 'refused'),
        end('a', 'files.read', 'ok'),
        begin('c', 'shop.wipe', 'deny'),
      ],
    }),
  })
  const shown = (await say('/audit 2')) ?? ''
  assert.deepEqual(calls, [['audit.search', { kind: 'call.*', limit: 8 }]])
  const [first = '', second = '', ...more] = shown.split('\n')
  assert.match(
    first,
    /^2026-11-\d\d \d\d:\d\d:00 {2}files\.write\[2J {2}asked you \(ask\.rule\) +not done$/,
  )
  assert.match(second, /shop\.wipe +denied \(deny\.rule\) +under way$/)
  assert.deepEqual(more, [])
  assert.doesNotMatch((await say('audit')) ?? '', /CONTENT/)
  assert.match((await say('/audit')) ?? '', /files\.read +allowed \(allow\.rule\) +done/)
  assert.equal(await say('/audit everything'), undefined)
})

test('/audit tells calls apart whose ids are hidden in the log', async () => {
  const of = (kind: string, subject: string, more: object) => ({
    at: '2026-11-16T08:00:00.000Z',
    kind,
    subject,
    details: { callId: '[hidden]', ...more },
  })
  const records = [
    of('call.begin', 'files.read', { verdict: 'allow', rule: 'r' }),
    of('call.begin', 'files.write', { verdict: 'ask', rule: 'w' }),
    of('call.end', 'files.write', { kind: 'refused' }),
    of('call.end', 'files.read', { kind: 'ok' }),
    of('call.begin', 'files.read', { verdict: 'allow', rule: 'r' }),
    of('call.end', 'files.read', { kind: 'failed' }),
  ]
  const lines = (await open({ 'audit.search': () => ({ records }) }).say('/audit'))?.split('\n')
  const ends = lines?.map((line) => / {2}(done|not done|failed)$/.exec(line)?.[1])
  assert.deepEqual(ends, ['done', 'not done', 'failed'])
})

const PROFILE = {
  name: 'claude',
  model: 'claude-x',
  url: 'https://api.anthropic.com/v1',
  isActive: true,
  isLocal: false,
  clearance: 'internal',
  budget: { tokens: 5000, cost: 2 },
  today: { tokens: 1240, cost: 0.0031, seconds: 3 },
}

test('/profiles shows the use of today and what is left of a budget; only a terminal changes the active one', async () => {
  const home = { ...PROFILE, name: 'home', isActive: false, isLocal: true, budget: {} }
  const { say, calls } = open({
    'profiles.list': () => ({
      profiles: [PROFILE, home],
      today: { tokens: 2480, cost: 0.0062, seconds: 6 },
    }),
    'profiles.use': () => ({ ...home, isActive: true, clearance: 'regulated' }),
  })
  const shown = (await say('/profiles')) ?? ''
  assert.match(
    shown,
    /^\[\*\] {2}claude .*today 1,240 tokens, \$0\.0031 {2}left 3,760 tokens, \$2\.00\n/,
  )
  assert.match(
    shown,
    /\[ \] {2}home .*this machine.*\$0\.0031\nAll of them today: 2,480 tokens, \$0\.0062$/,
  )
  for (const channel of ['page', 'telegram'])
    assert.match((await say('/profiles use home', channel)) ?? '', /changed in the terminal/)
  assert.ok(calls.every(([route]) => route === 'profiles.list'))
  assert.match(
    (await say('/profiles use home')) ?? '',
    /^home \(claude-x\) is the one that is asked/,
  )
  assert.deepEqual(calls.at(-1), ['profiles.use', { name: 'home' }])
  assert.match((await say('/profiles remove home')) ?? '', /^Type \/profiles to see/)
})

test('/flows lists what was saved, and a command that lacks its word says how it is used', async () => {
  const { say } = open({
    'flows.list': () => ({ flows: [{ name: 'todo', description: '', nodes: ['a', 'b'] }] }),
  })
  assert.equal(await say('/flows'), 'todo  a >> b\n`run NAME` runs one.')
  assert.match((await say('/connect')) ?? '', /^Type \/connect NAME: /)
  assert.match((await say('/save')) ?? '', /^Type \/save NAME: /)
  assert.equal(await say('/tols'), 'There is no command /tols. Did you mean /tools?')
  assert.equal(
    await say('conect notion'),
    'There is no command "conect". Did you mean `connect notion`?',
  )
  assert.match((await say('statsu')) ?? '', /`status`/)
  for (const text of ['connect notion', 'package', 'update', 'conect the dots of this'])
    assert.doesNotMatch((await say(text)) ?? '', /There is no command/, text)
})

test('help names every command with a slash, and sentences or paths are left to others', async () => {
  const { say } = open({})
  const help = (await say('/help')) ?? ''
  const names = ['/connect', '/tools', '/flows', '/save', '/memory', '/audit', '/profiles', '/help']
  const starts = names.map(
    (name) => new RegExp(`^${name}( \\S+)? {2,}(?=\\S)`, 'm').exec(help)?.[0].length,
  )
  assert.equal(new Set(starts).size, 1, 'aligned')
  assert.deepEqual(completeCommand('/'), names)
  assert.deepEqual(completeCommand('/pro'), ['/profiles'])
  assert.deepEqual(completeCommand('tools'), [])
  const others = [
    'tools for the garden',
    'profiles in courage',
    '/etc',
    '/save todo',
    'audit my taxes',
  ]
  for (const text of others) assert.equal(await say(text), undefined, text)
})
