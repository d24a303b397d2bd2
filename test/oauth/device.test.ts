/** The device authorization grant (RFC 8628), at a real authorization server and at one that behaves like GitHub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import type { AcquirePrompt } from '../../src/setup/connection/acquirer.ts'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { ISSUER } from './places.ts'
import { createBrowser } from './browser.ts'
import {
  lentToken,
  never,
  nobody,
  type OAuthDeps,
  openOAuthRooms,
  requestFor,
  storedToken,
} from './oauth-rooms.ts'
import { DEVICE_METHOD, openQuirkyServer, type QuirkyServer } from './quirky-server.ts'

const TOKEN = 'access_token=gho_quirky&scope=repo%2Cgist&token_type=bearer'

/** OAuth rooms whose clock moves only by the time that is slept. */
async function openSleepers(
  server: Pick<QuirkyServer, 'createFetch'>,
  onSleep: (slept: number) => void | Promise<void> = () => undefined,
): Promise<OAuthDeps & { readonly slept: number[] }> {
  const slept: number[] = []
  let rooms: OAuthDeps | undefined
  rooms = await openOAuthRooms({
    createFetch: server.createFetch,
    async sleep(ms, signal) {
      signal.throwIfAborted()
      slept.push(ms)
      if (rooms) rooms.clock.now += ms
      await onSleep(slept.length)
      signal.throwIfAborted()
    },
  })
  return { ...rooms, slept, [Symbol.asyncDispose]: rooms[Symbol.asyncDispose] }
}

const method = {
  ...DEVICE_METHOD,
  deviceUrl: `${ISSUER}/device/auth`,
  tokenUrl: `${ISSUER}/token`,
  scopes: ['openid', 'offline_access'],
}

for (const answer of ['allow', 'deny'] as const) {
  test(`a person who enters the code and chooses to ${answer} ends it so, at a real server`, async () => {
    await using server = await openOAuthServer()
    const prompts: AcquirePrompt[] = []
    await using rooms = await openSleepers(server, async (times) => {
      const [prompt] = prompts
      if (times !== 2 || prompt?.kind !== 'device') return
      await createBrowser(server.port).enterCode(prompt.url, prompt.code, answer)
    })
    const ended = await rooms.acquire.start(requestFor(method), (it) => prompts.push(it), never)
    assert.deepEqual(rooms.slept, [5000, 5000])
    if (answer === 'deny') {
      assert.deepEqual(ended, { kind: 'failed', reason: 'access was denied' })
      assert.equal(await rooms.vault.has(OWNER.id, 'oauth/notes'), false)
    } else {
      assert.equal(ended.kind, 'token')
      assert.equal(await lentToken(rooms), (await storedToken(rooms))['access_token'])
    }
  })
}

test('GitHub’s manners are understood: form-encoded, errors with status 200, commas', async () => {
  await using server = await openQuirkyServer()
  server.script.push('error=authorization_pending&interval=5', TOKEN)
  await using rooms = await openSleepers(server)
  const prompts: AcquirePrompt[] = []
  const ended = await rooms.acquire.start(
    requestFor(DEVICE_METHOD),
    (it) => prompts.push(it),
    never,
  )
  assert.deepEqual(prompts, [
    { kind: 'device', url: 'https://hub.cordon.test/login/device', code: 'WDJB-MJHT' },
  ])
  assert.equal(ended.kind, 'token')
  const { access_token, scope, expires_at } = await storedToken(rooms)
  assert.deepEqual([access_token, scope, expires_at], ['gho_quirky', 'repo gist', undefined])
  assert.equal(server.polls[0]?.get('device_code'), 'the-device-code')
})

test('slow_down makes every wait five seconds longer from then on', async () => {
  await using server = await openQuirkyServer()
  const pending = 'error=authorization_pending'
  server.script.push(pending, 'error=slow_down', pending, 'error=slow_down', pending, TOKEN)
  await using rooms = await openSleepers(server)
  await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, never)
  assert.deepEqual(rooms.slept, [5000, 5000, 10_000, 10_000, 15_000, 15_000])
})

test('the interval of the server is kept to, and is five seconds where it names none', async () => {
  await using server = await openQuirkyServer()
  server.script.push('error=authorization_pending', TOKEN)
  for (const [interval, ms] of [
    ['interval=8', 8000],
    ['nothing=1', 5000],
    ['interval=0', 5000],
  ] as const) {
    server.device = server.device.replace(/interval=\d+|nothing=1/, interval)
    server.script.splice(0, 2, 'error=authorization_pending', TOKEN)
    await using rooms = await openSleepers(server)
    assert.equal(
      (await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, never)).kind,
      'token',
    )
    assert.deepEqual(rooms.slept, [ms, ms])
  }
})

test('a code that nobody enters expires, by our clock and by the server’s word', async () => {
  await using server = await openQuirkyServer()
  server.script.push('error=authorization_pending')
  const reason = 'the code expired before it was entered'
  {
    await using rooms = await openSleepers(server)
    const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, never)
    assert.deepEqual(ended, { kind: 'failed', reason })
    assert.equal(rooms.slept.length, 180)
    assert.equal(server.polls.length, 179)
  }
  server.script.splice(0, 1, 'error=expired_token')
  await using rooms = await openSleepers(server)
  const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, never)
  assert.deepEqual(ended, { kind: 'failed', reason })
})

test('a server that hangs up is asked again, after twice the time', async () => {
  await using server = await openQuirkyServer()
  server.script.push('hang up', 'hang up', TOKEN)
  await using rooms = await openSleepers(server)
  const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, never)
  assert.equal(ended.kind, 'token')
  assert.deepEqual(rooms.slept, [5000, 10_000, 20_000])
})

test('cancelling stops the polls at once, also in the middle of one', async () => {
  await using server = await openQuirkyServer()
  server.script.push('error=authorization_pending')
  const asleep = new AbortController()
  await using rooms = await openSleepers(server, (times) => {
    if (times === 3) asleep.abort()
  })
  const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, asleep.signal)
  assert.deepEqual(ended, { kind: 'failed', reason: 'it was cancelled' })
  assert.equal(server.polls.length, 2)

  const polling = new AbortController()
  server.hold = () => {
    polling.abort()
    return new Promise(() => undefined)
  }
  const held = await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, polling.signal)
  assert.deepEqual(held, { kind: 'failed', reason: 'it was cancelled' })
})

test('a token that arrives after the cancel is dropped', async () => {
  await using server = await openQuirkyServer()
  server.script.push(TOKEN)
  const cancel = new AbortController()
  const deaf: QuirkyServer['createFetch'] = (options) => {
    const fetch = server.createFetch(options)
    return async (input, init) => {
      const { signal: _unheard, ...rest } = init ?? {}
      const response = await fetch(input, rest)
      const isPoll = new Request(input).url.endsWith('/access_token')
      if (isPoll) cancel.abort()
      return response
    }
  }
  await using rooms = await openSleepers({ createFetch: deaf })
  const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, cancel.signal)
  assert.equal(ended.kind, 'failed')
  assert.equal(server.polls.length, 1)
  assert.equal(await rooms.vault.has(OWNER.id, 'oauth/notes'), false)
})

for (const [what, device] of [
  ['a page without TLS', 'verification_uri=http%3A%2F%2Fhub.cordon.test%2F&user_code=ABCD-EFGH'],
  ['a script', 'verification_uri=javascript%3Aalert(1)&user_code=ABCD-EFGH'],
  [
    'a code that moves the cursor',
    'verification_uri=https%3A%2F%2Fhub.cordon.test%2F&user_code=AB%1B%5B2J',
  ],
  ['no code at all', 'verification_uri=https%3A%2F%2Fhub.cordon.test%2F'],
] as const) {
  test(`nobody is shown ${what}`, async () => {
    await using server = await openQuirkyServer()
    server.device = `device_code=x&expires_in=900&${device}`
    await using rooms = await openSleepers(server)
    const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), nobody, never)
    assert.notEqual(ended.kind, 'token')
    assert.deepEqual(server.polls, [])
  })
}

test('a server that answers with a page instead of an answer fails in one clause', async () => {
  await using server = await openQuirkyServer()
  server.device = '<html>hello</html>'
  await using rooms = await openSleepers(server)
  const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), nobody, never)
  assert.deepEqual(ended, {
    kind: 'unavailable',
    reason: 'the server gave an answer that cannot be trusted',
  })
})
