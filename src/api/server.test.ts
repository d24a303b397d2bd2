import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import type { Message, MessageHandler, Reply } from '../kernel/receive.ts'
import type { Api } from './contract.ts'
import { createFakeApi, type FakeAnswers, type FakeCall } from './fake-api.ts'
import { nothing } from './fields.ts'
import type { Nothing, OpenRoute, Routes } from './route.ts'
import { type ApiDeps, answerRequest, createApi, type Listener } from './server.ts'

function listenerAt(surface: Listener['surface'], body: unknown, reads: string[] = []): Listener {
  return {
    surface,
    admit: () => undefined,
    async read() {
      reads.push(surface)
      return body
    },
    refuse: (reason) => new CordonError(`test.${reason}`, { exit: 3, hint: '' }, 'Cannot'),
  }
}

const request = (route: string): Request =>
  new Request(`http://cordon/api/${route}`, { method: 'POST' })

function open(answers: FakeAnswers = {}) {
  const calls: FakeCall[] = []
  const api = createFakeApi(answers, (call) => calls.push(call))
  const ask = async (surface: Listener['surface'], route: string, body: unknown = {}) =>
    await api.answer(request(route), listenerAt(surface, body))
  return { api, calls, ask }
}

describe('an input', () => {
  test('with unknown fields or wrong types is refused, whichever way it came', async () => {
    const { api, ask, calls } = open()
    const attempts = [
      ['status', { extra: 1 }],
      ['vault.set', { name: 'a b', value: 'x' }],
      ['vault.set', { name: 'ok', value: '' }],
      ['audit.read', { limit: 0 }],
      ['audit.read', { limit: 1e9 }],
      ['audit.search', { limit: 1, since: 'yesterday' }],
      ['mcp.show', null],
      ['mcp.show', []],
    ] as const
    for (const [route, input] of attempts) {
      await assert.rejects(api.call(route, input as never), { code: 'kernel.input' })
      await assert.rejects(ask('terminal', route, input), { code: 'kernel.input' })
    }
    assert.deepEqual(calls, [])
  })

  test('is never repeated in a refusal, since it may be a secret', async () => {
    const value = `ghp_${'x'.repeat(70_000)}`
    await assert.rejects(
      open().api.call('vault.set', { name: 'x', value }),
      (error: Error) => !error.message.includes('ghp_'),
    )
  })
})

test('a name that every object has by birth is no route', async () => {
  const { ask } = open()
  for (const name of [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'vault.get',
    'ping/ping',
    '%',
    '',
  ]) {
    await assert.rejects(ask('terminal', name), { code: 'test.not-found' }, name)
    await assert.rejects(ask('page', name), { code: 'test.not-found' }, name)
  }
})

test('whoever a listener does not admit learns nothing about the routes', async () => {
  const { api } = open()
  const admit = (): never => {
    throw new CordonError('test.host', { exit: 3, hint: '' }, 'Cannot')
  }
  for (const route of ['ping', 'page.link', 'nothing']) {
    const listener = { ...listenerAt('terminal', {}), admit }
    await assert.rejects(api.answer(request(route), listener), { code: 'test.host' })
  }
})

describe('the page', () => {
  test('is refused a closed route before its body is read', async () => {
    const { api, calls } = open()
    const reads: string[] = []
    const listener = listenerAt('page', {}, reads)
    await assert.rejects(api.answer(request('mcp.add'), listener), { code: 'test.terminal-only' })
    assert.deepEqual([reads, calls], [[], []])
  })

  test('may use an open route, but not say yes with a call or name a folder', async () => {
    const any = async () => ({}) as never
    const { ask, calls } = open({ 'mcp.call': any, 'flows.start': any })
    const call = { server: 'x', tool: 'y', args: {} }
    const start = { source: { kind: 'text', text: 'llm' } }
    for (const [route, input] of [
      ['mcp.call', { ...call, approval: 'given' }],
      ['flows.start', { ...start, approval: 'given' }],
      ['flows.start', { ...start, folder: '/' }],
    ] as const) {
      await assert.rejects(ask('page', route, input), { code: 'test.terminal-only' })
      assert.equal((await ask('terminal', route, input)).status, 200)
    }
    assert.equal(calls.length, 3)
    assert.equal((await ask('page', 'mcp.call', { ...call, approval: 'wait' })).status, 200)
    assert.equal((await ask('page', 'flows.start', start)).status, 200)
  })
})

interface Planted {
  'planted.open': { surface: 'any'; input: Nothing; output: Nothing }
  'planted.silent': { input: Nothing; output: Nothing }
}

test('WEB-6: a route that names no surface is closed to the page', async () => {
  const handle = async () => ({})
  const routes: Routes<Planted> = {
    'planted.open': { surface: 'any', input: nothing, handle },
    'planted.silent': { input: nothing, handle },
  }
  const ask = async (surface: Listener['surface'], name: keyof Planted) =>
    await answerRequest({ ...routes }, request(name), listenerAt(surface, {}))
  assert.equal((await ask('page', 'planted.open')).status, 200)
  assert.equal((await ask('terminal', 'planted.silent')).status, 200)
  await assert.rejects(ask('page', 'planted.silent'), { code: 'test.terminal-only' })
})

/** Rules that `tsc` enforces: an expectation below fails the build if the line after it compiles. */
export function typeLaws(): readonly unknown[] {
  const handle = async () => ({})
  const open: OpenRoute<Planted> = 'planted.open'
  // @ts-expect-error -- a page cannot name a route whose contract says nothing of surfaces
  const silent: OpenRoute<Planted> = 'planted.silent'
  const opened: Routes<Pick<Planted, 'planted.silent'>> = {
    // @ts-expect-error -- nor can a handler open a route that its contract leaves closed
    'planted.silent': { surface: 'any', input: nothing, handle },
  }
  const closed: Routes<Pick<Planted, 'planted.open'>> = {
    // @ts-expect-error -- and a route that its contract opens must be marked open
    'planted.open': { input: nothing, handle },
  }
  return [open, silent, opened, closed]
}

test('a chat asks the API for what it does, and setup sees each message before it', async () => {
  const seen: string[] = []
  const asked: Api<'ping'>[] = []
  const deps = {
    facts: { version: '1', pid: 2 },
    setup: {
      view: () => undefined,
      take: async ({ text }: { readonly text: string }) => {
        seen.push(`setup ${text}`)
        return text === 'secret' ? { kind: 'text', text: 'taken', wasSecret: true } : undefined
      },
    },
    turns: {
      begin: async ({ text }: Message) => (text === 'plan it' ? 'turn-1' : undefined),
    },
    async recordTurn(by: string, _message: Message, answer: () => Promise<Reply | undefined>) {
      const reply = await answer()
      if (reply) seen.push(`recorded by ${by}`)
      return reply
    },
    createChat(api: Api<'ping'>): MessageHandler {
      asked.push(api)
      return async ({ text }) => {
        seen.push(`chat ${text}`)
        return text === 'ping'
          ? { kind: 'text', text: `${(await api.call('ping', {})).pid}` }
          : undefined
      }
    },
  }
  const api = createApi(deps as unknown as ApiDeps)
  const say = async (text: string) => await api.call('chat.send', { text })
  assert.deepEqual(await say('ping'), { reply: '2', wasSecret: false, connection: null })
  const planned = { reply: '', wasSecret: false, connection: null, turn: 'turn-1' }
  assert.deepEqual(await say('plan it'), planned)
  assert.deepEqual(seen.splice(-2), ['setup plan it', 'chat plan it'])
  assert.deepEqual(await say('secret'), { reply: 'taken', wasSecret: true, connection: null })
  assert.match((await say('hm')).reply, /cannot answer that yet/)
  assert.deepEqual(seen, [
    'setup ping',
    'chat ping',
    'recorded by chat',
    'setup secret',
    'recorded by setup',
    'setup hm',
    'chat hm',
  ])
  assert.equal(asked.length, 1)
})
