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
    'connect.remove': { removedSecrets: [] },
    status: {
      version: '1',
      vault: { state: 'unlocked' },
      servers: 1,
      page: null,
      auditDamage: null,
    },
    ...more,
  }
  const api = {
    call: async (route: Route, input: unknown) => {
      calls.push([route, input])
      return answers[route]
    },
  } as unknown as Api
  const take = createChatCommands(api)
  const say = async (text: string, principal = OWNER) => {
    const reply = await take({ principal, text }, never)
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

test('a tool is called by name, and its text is shown as text', async () => {
  const { say, calls } = open()
  assert.equal(await say('notion.search query="plan"'), 'found it')
  assert.deepEqual(calls.at(-1), [
    'mcp.call',
    { server: 'notion', tool: 'search', args: { query: 'plan' } },
  ])
})

test('nothing is removed before the person has said it twice', async () => {
  const { say, calls } = open()
  assert.match((await say('remove Notion')) ?? '', /Type: yes, remove notion/)
  assert.ok(calls.every(([route]) => route === 'mcp.list'))
  assert.match((await say('yes, remove notion')) ?? '', /is removed/)
  assert.deepEqual(calls.at(-1), ['connect.remove', { server: 'notion', keepSecrets: false }])
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
