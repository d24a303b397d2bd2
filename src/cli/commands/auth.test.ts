import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ConnectionView } from '../../ports/setup-port.ts'
import { type Answers, runFake } from '../fake-surface.ts'

const URL = 'http://127.0.0.1:1/oauth/callback?code=hush&state=x'
const asked: ConnectionView = {
  connection: 'f1',
  service: 'github',
  title: 'GitHub',
  phase: 'awaiting-credential',
  question: { title: 'token', isSecret: true, authorize: 'https://github.com/login' },
  expiresAt: '2030-01-01T00:10:00.000Z',
  said: ['Open this link'],
  version: 1,
}
const { question: _asked, ...rest } = asked
const CONNECTING: ConnectionView = {
  ...rest,
  phase: 'connecting',
  said: [...rest.said, 'Stored.'],
  version: 2,
}
const FAILED: ConnectionView = {
  ...rest,
  question: { title: 'token', isSecret: true },
  said: [...rest.said, 'OAuth failed.'],
  version: 2,
}

function answersFor(connection: ConnectionView | null, ...later: ConnectionView[]): Answers {
  return {
    'connect.view': async () => ({ connection }),
    'connect.follow': async () => later.shift() ?? asked,
    'auth.callback': async () => ({}),
  }
}

test('the address is read without being shown or being on the command line', async () => {
  const answers = answersFor(asked, CONNECTING)
  const { code, stdout, stderr, calls } = await runFake(['auth', 'callback'], answers, {
    typed: URL,
  })
  assert.deepEqual([code, stdout], [0, 'Signed in.\n'])
  assert.deepEqual(calls[1], ['auth.callback', { url: URL }])
  assert.doesNotMatch(stdout + stderr, /hush/)
})

test('connect opens the page, and takes the address at which the browser ended', async () => {
  const done: ConnectionView = { ...rest, phase: 'connected', said: ['✓ GitHub connected.'] }
  const answers: Answers = {
    'connect.start': async () => asked,
    'connect.follow': () => new Promise(() => {}),
    'connect.provide': async () => done,
    'tools.proposal': async () => {
      throw new Error('not here')
    },
  }
  const person = { typed: URL, isTTY: true }
  const { stderr, calls } = await runFake(['connect', 'github'], answers, person)
  assert.match(stderr, /\[browser https:\/\/github\.com\/login\]/)
  const given = calls.find(([route]) => route === 'connect.provide')
  assert.deepEqual(given?.[1], { connection: 'f1', value: URL })
  assert.doesNotMatch(stderr, /hush/)
})

test('without a terminal connect opens nothing and waits for the browser', async () => {
  const failed: ConnectionView = { ...rest, phase: 'failed', said: ['Nobody came.'], version: 2 }
  const answers: Answers = {
    'connect.start': async () => asked,
    'connect.follow': async () => failed,
  }
  const { code, stderr, calls } = await runFake(['connect', 'github'], answers)
  assert.equal(code, 5)
  assert.doesNotMatch(stderr, /browser https/)
  assert.ok(!calls.some(([route]) => route === 'connect.provide'))
})

test('signed in is said when the code was redeemed, and not before', async () => {
  const good = await runFake(['auth', 'callback', URL], answersFor(asked, asked, CONNECTING))
  assert.deepEqual([good.code, good.stdout, good.stderr], [0, 'Signed in.\n', 'Stored.\n'])
  const bad = await runFake(['auth', 'callback', URL], answersFor(asked, FAILED))
  assert.deepEqual([bad.code, bad.stdout, bad.stderr], [5, 'Not signed in.\n', 'OAuth failed.\n'])
  const unknown = await runFake(['auth', 'callback', URL], answersFor(null))
  assert.deepEqual([unknown.code, unknown.stdout], [0, 'Handed over.\n'])
})

test('R124: the desktop entry in the documentation hands a scheme of its own to Cordon', async () => {
  const docs = readFileSync(
    new globalThis.URL('../../../docs/signing-in.md', import.meta.url),
    'utf8',
  )
  const [, line = ''] = /^Exec=cordon (.+)$/m.exec(docs) ?? []
  assert.match(docs, /^MimeType=x-scheme-handler\/personalagent;$/m)
  const url = 'personalagent://oauth/callback?code=hush&state=x'
  const words = line.split(' ').map((word) => (word === '%u' ? url : word))
  const { code, calls, stdout, stderr } = await runFake(words, answersFor(null))
  assert.equal(code, 0)
  assert.deepEqual(calls.at(-1), ['auth.callback', { url }])
  assert.doesNotMatch(stdout + stderr, /hush/)
})
