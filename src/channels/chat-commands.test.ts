import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Api, Route } from '../api/contract.ts'
import { OWNER, parsePrincipalId } from '../kernel/principal.ts'
import { never } from '../kernel/test-never.ts'
import { createChatCommands } from './chat-commands.ts'

function open(more: Partial<Record<Route, unknown>> = {}) {
  const calls: [Route, unknown][] = []
  const state = { badge: 'connected', tools: 24, quarantined: 0, restarts: 0 }
  const answers: Partial<Record<Route, unknown>> = {
    'mcp.list': { servers: [{ server: 'notion', name: 'Notion', state }], problems: [] },
    'mcp.call': { kind: 'ok', value: [{ type: 'text', text: 'found it' }] },
    'mcp.show': {},
    'mcp.tools': { tools: [] },
    'connect.remove': { removedSecrets: [], removedData: false },
    status: {
      version: '1',
      vault: { state: 'unlocked' },
      servers: 1,
      page: null,
      auditDamage: null,
      unseen: [],
    },
    ...more,
  }
  const api = {
    call: async (route: Route, input: unknown) => {
      calls.push([route, input])
      return answers[route]
    },
  } as unknown as Api
  const take = createChatCommands(api, '/home/ann')
  const say = async (text: string, principal = OWNER, isTyped = false, chat = '/dev/pts/1') => {
    const reply = await take({ principal, text, isTyped, chat }, never)
    return reply?.kind === 'text' ? reply.text : undefined
  }
  return { calls, say }
}

test('list and status answer with what there is', async () => {
  const { say } = open()
  assert.equal(await say('list'), 'notion: connected, 24 tools')
  assert.match((await say(' Status ')) ?? '', /Cordon 1, 1 servers, vault unlocked/)
  assert.match((await say('help')) ?? '', /connect NAME/)
})

test('packages shows what is installed; unused ones are removed only after a yes', async () => {
  const one = (name: string, usedBy: readonly string[]) => ({ name, bytes: 2 ** 20, usedBy })
  const { say, calls } = open({
    'packages.list': { packages: [one('notion@1.0.0', ['notion']), one('old@1.0.0', [])] },
    'packages.prune': { removed: ['old@1.0.0'], bytes: 2 ** 20 },
  })
  assert.equal(
    await say('packages'),
    'notion@1.0.0: 1.0 MB, used by notion\nold@1.0.0: 1.0 MB, used by no server\n1.0 MB are in no use. To remove them, type: yes, prune packages',
  )
  assert.equal(await say('yes, prune packages'), 'Removed: old@1.0.0.')
  assert.deepEqual(calls.at(-1), ['packages.prune', { names: ['old@1.0.0'] }])
  assert.equal(await say('packages of my mother'), undefined)
})

test('a tool is called by name, and its text is shown as text', async () => {
  const { say, calls } = open()
  assert.equal(await say('notion.search query="plan"'), 'found it')
  assert.deepEqual(calls.at(-1), [
    'mcp.call',
    { server: 'notion', tool: 'search', args: { query: 'plan' }, isKept: true },
  ])
})

test('updates asks for versions, and names what takes one in words of the chat', async () => {
  const acme = { server: 'acme', package: 'acme', version: '1.0.0', isCordons: false }
  const { say } = open({ 'mcp.updates': { servers: [{ ...acme, newer: '2.0.0' }] } })
  assert.equal(
    await say('updates'),
    'acme: acme 1.0.0: 2.0.0 is there (`upgrade acme` shows what changes, and takes it)',
  )
})

test('~/ is written out for a server that was given a folder there, and not in quotes', async () => {
  const notion = { server: 'notion', name: 'Notion', state: { badge: 'connected', tools: 1 } }
  const { say, calls } = open({
    'mcp.list': { servers: [{ ...notion, readPaths: ['/home/ann/notes'] }], problems: [] },
  })
  const argsOf = async (text: string): Promise<unknown> => {
    await say(text)
    const [, input] = calls.at(-1) ?? []
    return (input as { readonly args: unknown }).args
  }
  assert.deepEqual(await argsOf('notion.search path=~/notes/a.md to=~/other'), {
    path: '/home/ann/notes/a.md',
    to: '~/other',
  })
  assert.deepEqual(await argsOf('notion.search path="~/notes"'), { path: '~/notes' })
  assert.deepEqual(await argsOf('notion.search {"path": "~/notes"}'), { path: '~/notes' })
})

test('what a server keeps is named before it is deleted with it', async () => {
  const { say } = open({ 'mcp.show': { keeps: '/home/ada/.cordon/data/notion' } })
  assert.match(
    (await say('remove notion')) ?? '',
    /deletes what it keeps in \/home\/ada\S+ for good/,
  )
})

test('a call has the types that its tool declares, and a mistyped tool is answered with the closest', async () => {
  const inputSchema = { type: 'object', properties: { query: { type: 'string' } } }
  const { say, calls } = open({ 'mcp.tools': { tools: [{ name: 'search', inputSchema }] } })
  await say('notion.search --query 5')
  assert.deepEqual(calls.at(-1), [
    'mcp.call',
    { server: 'notion', tool: 'search', args: { query: '5' }, isKept: true },
  ])
  assert.equal(
    await say('notion.serch query=5'),
    'notion has no tool "serch". Did you mean notion.search?',
  )
})

test('nothing is removed before the person has said it twice', async () => {
  const { say, calls } = open()
  assert.match((await say('remove Notion')) ?? '', /Type: yes, remove notion/)
  assert.ok(calls.every(([route]) => route === 'mcp.list' || route === 'mcp.show'))
  assert.match((await say('yes, remove notion')) ?? '', /is removed/)
  assert.deepEqual(calls.at(-1), ['connect.remove', { server: 'notion', keepSecrets: false }])
})

test('an account is removed by the words that connected it', async () => {
  const servers = ['notion', 'notion-work'].map((server) => ({ server, name: server }))
  const { say } = open({ 'mcp.list': { servers, problems: [] } })
  assert.match((await say('remove notion as work')) ?? '', /Type: yes, remove notion-work$/)
})

test('a server that bears the name of another as its title is not taken for it', async () => {
  const servers = [
    { server: 'other', name: 'Notion' },
    { server: 'notion', name: 'Mine' },
  ]
  const { say, calls } = open({ 'mcp.list': { servers, problems: [] } })
  assert.match((await say('remove notion')) ?? '', /This removes Mine .*yes, remove notion$/)
  await say('yes, remove notion')
  assert.deepEqual(calls.at(-1), ['connect.remove', { server: 'notion', keepSecrets: false }])
  assert.match((await say('remove mine')) ?? '', /yes, remove notion$/)
})

test('what a tool says moves no cursor and hides nothing', async () => {
  const text = 'one\ntwo\u001b]0;x\u0007\u009b2J\u202e'
  const { say } = open({ 'mcp.call': { kind: 'ok', value: [{ type: 'text', text }] } })
  assert.equal(await say('notion.search'), 'one\ntwo\\u001b]0;x\\u0007\\u009b2J\\u202e')
  const failing = open({ 'mcp.call': { kind: 'failed', reason: '\u001b[2J' } })
  assert.equal(await failing.say('notion.search'), 'failed: \\u001b[2J')
})

test('a call that fails says what to do about it', async () => {
  const { say } = open({ 'mcp.call': { kind: 'failed', reason: 'Locked', hint: 'Unlock it' } })
  assert.equal(await say('notion.search'), 'failed: Locked. Unlock it')
})

test('whatever is not a command is left to others', async () => {
  const { say } = open()
  for (const text of [
    'list all my pages',
    'status of the project?',
    'remove the typo in line 3',
    'yes, please',
    'unknown.tool a=1',
    'search notion for the plan',
    'constructor',
  ]) {
    assert.equal(await say(text), undefined, text)
  }
})

test('only the owner is understood', async () => {
  const { say, calls } = open()
  const schedule = { kind: 'cron', id: parsePrincipalId('principal:cron:digest') } as const
  assert.equal(await say('list', schedule), undefined)
  assert.equal(await say('notion.search', schedule), undefined)
  assert.deepEqual(calls, [])
})

const PROPOSAL = {
  server: 'notion',
  set: '1f0c55a2'.repeat(8),
  summary: 'Nobody vouches for 2 tools: 1 says it only reads, 1 is doubtful',
  tools: [
    { name: 'list', says: 'read', because: 'x', by: 'unsaid', isWaiting: false },
    {
      name: 'get\u001b[2J',
      says: 'read',
      because: 'x',
      doubt: 'its name says "run"',
      by: 'unsaid',
    },
  ],
}

test('tools are taken only by a message that names the list that was shown', async () => {
  const { say, calls } = open({ 'tools.proposal': PROPOSAL, 'tools.mark': PROPOSAL })
  const shown = (await say('take the tools of Notion as they say')) ?? ''
  assert.match(shown, /1 say they only read: list\n/)
  assert.match(shown, /! get\[2J: says it reads, but its name says "run"/)
  assert.match(shown, /type: yes, take notion 1f0c55a2$/)
  assert.match((await say('yes, take notion 99999999')) ?? '', /so nothing was taken/)
  assert.ok(calls.every(([route]) => route !== 'tools.mark'))
  assert.match((await say('yes, take notion 1f0c55a2')) ?? '', /your word counts for/)
  const { set } = PROPOSAL
  assert.deepEqual(calls.at(-1), [
    'tools.mark',
    { server: 'notion', set, change: { kind: 'as-said' } },
  ])
  await say('mark notion.list write')
  const change = { kind: 'effect', effect: 'write', tools: ['list'] }
  assert.deepEqual(calls.at(-1), ['tools.mark', { server: 'notion', set, change }])
  for (const text of [
    'take the bus',
    'mark my words',
    'mark notion.list harmless',
    'yes, take it',
  ]) {
    assert.equal(await say(text), undefined, text)
  }
})

const ASKED = {
  id: 'q1',
  state: 'pending',
  items: [{ digest: 'd'.repeat(64), offers: ['tool'], tool: { server: 'notion', name: 'send' } }],
  lines: [[{ text: 'Change something with notion', tone: 'strong' }]],
  more: [[{ text: 'Question q1', tone: 'quiet' }]],
}

/** A chat whose call waits for the answer to its question. */
function openAsking() {
  const answered = Promise.withResolvers<unknown>()
  const opened = open({
    'mcp.call': answered.promise,
    'approvals.follow': { approval: ASKED, isUnderWay: true },
    'approvals.show': ASKED,
  })
  const typed = (text: string) => opened.say(text, OWNER, true)
  return { ...opened, typed, run: () => answered.resolve({ kind: 'ok', value: 'done' }) }
}

test('a typed call that needs approval is asked about, and y, a, n and ? answer it', async () => {
  for (const [key, said] of [
    ['y', { allow: ['d'.repeat(64)] }],
    ['a', { allow: ['d'.repeat(64)], grant: 'tool' }],
    ['n', { allow: [] }],
  ] as const) {
    const { typed, run, calls } = openAsking()
    const asked = (await typed('notion.send to=x')) ?? ''
    assert.match(asked, /Change something with notion\nAllow it\? .*a = yes, and always/)
    assert.doesNotMatch(asked, /Question q1/)
    assert.match((await typed('?')) ?? '', /Question q1\nAllow it\?/)
    run()
    assert.equal(await typed(key), 'done')
    const sent = calls.find(([route]) => route === 'approvals.answer')
    assert.deepEqual(sent?.[1], { id: 'q1', channel: 'chat', ...said })
    assert.equal(await typed('y'), undefined, 'nothing is asked any more')
  }
})

test('a yes in another chat answers nothing', async () => {
  const { typed, say, run, calls } = openAsking()
  await typed('notion.send to=x')
  assert.equal(await say('y', OWNER, true, '/dev/pts/2'), undefined)
  assert.equal(calls.filter(([route]) => route === 'approvals.answer').length, 0)
  run()
  assert.equal(await typed('y'), 'done')
})

test('piped input is asked nothing, so that it cannot answer itself', async () => {
  const { say, calls, run } = openAsking()
  run()
  assert.equal(await say('notion.send to=x'), 'done')
  const sent = { server: 'notion', tool: 'send', args: { to: 'x' }, isKept: true }
  assert.deepEqual(calls.at(-1)?.[1], sent)
  assert.equal(await say('y'), undefined)
})
