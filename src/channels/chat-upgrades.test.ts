import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../api/contract.ts'
import { never } from '../kernel/test-never.ts'
import { createChatUpgrades, type UpgradesApi } from './chat-upgrades.ts'

function open(answers: Partial<Record<Route, unknown>>) {
  const calls: [Route, unknown][] = []
  const api = {
    call: async (route: Route, input: unknown) => {
      calls.push([route, input])
      return answers[route]
    },
  } as unknown as UpgradesApi
  const find = async (name: string) => (name === 'notion' ? { server: name } : undefined)
  const upgrades = createChatUpgrades(api, find)
  const say = async (text: string) =>
    text.startsWith('yes, ')
      ? await upgrades.agree(text.slice('yes, '.length), never)
      : await upgrades.show(text.slice('upgrade '.length), never)
  return { say, calls }
}

const facts = { bytes: 2 ** 20, packages: 1 }
const plan = {
  server: 'notion',
  package: 'notes',
  manifest: 'sha512-x',
  before: { version: '1.0.0', ...facts },
  after: { version: '1.1.0', ...facts },
  files: { added: 0, removed: 0, changed: 1 },
  named: [],
  parts: { added: [], removed: [] },
  hosts: { added: ['new.test'], removed: [] },
  unread: 0,
  scripts: { added: [], removed: [] },
  tools: [{ name: 'search', before: {}, now: {}, hash: 'a1' }],
  tried: [],
  willRun: [],
}

test('a version whose install scripts would run is shown in a chat, and sent to a terminal', async () => {
  const built = { ...plan, willRun: ['notes'] }
  const { say } = open({ 'upgrades.plan': { plan: built, before: null } })
  const shown = (await say('upgrade notion')) ?? ''
  assert.match(shown, /⚠️ install scripts that run when you take it.*notes/)
  assert.match(shown, /in a terminal only. In a shell: cordon mcp upgrade notion$/)
})

test('upgrade shows what changes, and a yes takes exactly what was shown', async () => {
  const taken = { server: 'notion', from: '1.0.0', to: '1.1.0', waiting: [] }
  const { say, calls } = open({
    'upgrades.plan': { plan, before: null },
    'upgrades.take': taken,
    'upgrades.undo': { ...taken, from: '1.1.0', to: '1.0.0' },
  })
  assert.equal(await say('yes, upgrade notion'), 'Look at it first: upgrade notion')
  const shown = (await say('upgrade notion')) ?? ''
  assert.match(
    shown,
    /notes 1\.0\.0 → 1\.1\.0[^]*new\.test[^]*search changes[^]*yes, upgrade notion/,
  )
  assert.match(
    (await say('yes, upgrade notion')) ?? '',
    /is now at 1\.1\.0\.\nTo go back to 1\.0\.0/,
  )
  const seen = { version: '1.1.0', manifest: 'sha512-x', tools: { search: 'a1' } }
  assert.deepEqual(calls.at(-1), ['upgrades.take', { server: 'notion', ...seen }])
  assert.equal(await say('yes, upgrade notion'), 'Look at it first: upgrade notion')
  assert.equal(await say('yes, undo upgrade notion'), 'notion is back at 1.0.0.')
  assert.equal(await say('upgrade my life'), undefined)
})
