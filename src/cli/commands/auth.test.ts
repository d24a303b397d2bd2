import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectionView } from '../../kernel/setup-port.ts'
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

test('signed in is said when the code was redeemed, and not before', async () => {
  const good = await runFake(['auth', 'callback', URL], answersFor(asked, asked, CONNECTING))
  assert.deepEqual([good.code, good.stdout, good.stderr], [0, 'Signed in.\n', 'Stored.\n'])
  const bad = await runFake(['auth', 'callback', URL], answersFor(asked, FAILED))
  assert.deepEqual([bad.code, bad.stdout, bad.stderr], [5, 'Not signed in.\n', 'OAuth failed.\n'])
  const unknown = await runFake(['auth', 'callback', URL], answersFor(null))
  assert.deepEqual([unknown.code, unknown.stdout], [0, 'Handed over.\n'])
})
