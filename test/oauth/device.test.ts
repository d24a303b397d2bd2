/** The device authorization grant (RFC 8628), at a real authorization server and at one that behaves like GitHub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outlook } from '../../src/catalog/known/outlook.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { AcquirePrompt } from '../../src/setup/connection/acquirer.ts'
import type { AcquireParts } from '../../src/setup/oauth/create-acquire.ts'
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
  clients?: AcquireParts['clients'],
): Promise<OAuthDeps & { readonly slept: number[] }> {
  const slept: number[] = []
  let rooms: OAuthDeps | undefined
  rooms = await openOAuthRooms({
    createFetch: server.createFetch,
    ...(clients && { clients }),
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

test('Google’s manners are understood: its own name for the page, statuses 428 and 403, a secret with each poll', async () => {
  await using server = await openQuirkyServer()
  server.device =
    '200 {"device_code":"d","user_code":"GQVQ-JKEC","verification_url":"https://hub.cordon.test/device","expires_in":1800,"interval":5}'
  server.script.push(
    '428 {"error":"authorization_pending","error_description":"Precondition Required"}',
    '403 {"error":"slow_down","error_description":"Forbidden"}',
    '200 {"access_token":"ya29.x","expires_in":3599,"refresh_token":"1//r","scope":"a b","token_type":"Bearer"}',
  )
  const secretRef = { scheme: 'vault', name: 'tv_secret' } as const
  await using rooms = await openSleepers(server, undefined, async () => ({
    clientId: 'tv',
    secretRef,
  }))
  await rooms.vault.set(OWNER.id, 'tv_secret', Buffer.from('the-tv-secret'))
  const prompts: AcquirePrompt[] = []
  const start = rooms.acquire.start(requestFor(DEVICE_METHOD), (it) => prompts.push(it), never)
  assert.equal((await start).kind, 'token')
  assert.deepEqual(prompts, [
    { kind: 'device', url: 'https://hub.cordon.test/device', code: 'GQVQ-JKEC' },
  ])
  assert.deepEqual(rooms.slept, [5000, 5000, 10_000])
  assert.ok(server.polls.every((poll) => poll.get('client_secret') === 'the-tv-secret'))
})

test('Microsoft’s manners are understood: a public client, its own word for a denial', async () => {
  await using server = await openQuirkyServer()
  server.device =
    '200 {"user_code":"B8E2KWJ3","device_code":"d","verification_uri":"https://hub.cordon.test/devicelogin","expires_in":900,"interval":5,"message":"To sign in, use a web browser"}'
  server.script.push(
    '400 {"error":"authorization_pending","error_codes":[70016]}',
    '400 {"error":"authorization_declined","error_codes":[70002]}',
  )
  await using rooms = await openSleepers(server)
  const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), () => undefined, never)
  assert.deepEqual(ended, { kind: 'failed', reason: 'access was denied' })
  assert.equal(server.polls[0]?.get('client_id'), 'cordon')
  assert.equal(server.polls[0]?.get('client_secret'), null)
})

test('R104: Outlook signs in with a code: it asks for a public client once, and its token can be renewed', async () => {
  await using server = await openQuirkyServer()
  server.device =
    '200 {"user_code":"B8E2KWJ3","device_code":"d","verification_uri":"https://hub.cordon.test/devicelogin","expires_in":900,"interval":5}'
  server.script.push(
    '200 {"token_type":"Bearer","scope":"User.Read Mail.Send","expires_in":3599,"access_token":"ey.x","refresh_token":"M.r"}',
  )
  const [known] = outlook.oauth
  assert.ok(known?.kind === 'device' && known.scopes.includes('offline_access'))
  const { deviceUrl, tokenUrl } = DEVICE_METHOD
  const request = requestFor({ ...known, deviceUrl, tokenUrl })
  await using without = await openSleepers(server, undefined, async () => undefined)
  const lacking = await without.acquire.start(request, () => undefined, never)
  assert.partialDeepStrictEqual(lacking, {
    kind: 'unavailable',
    client: { provider: 'microsoft', hasSecret: false },
  })
  await using rooms = await openSleepers(server, undefined, async () => ({ clientId: 'mine' }))
  assert.equal((await rooms.acquire.start(request, () => undefined, never)).kind, 'token')
  assert.equal(server.polls[0]?.get('client_id'), 'mine')
  assert.equal((await storedToken(rooms))['refresh_token'], 'M.r')
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
    next: 'Ask the people who run the server: its sign-in has to be mended there',
  })
})

test('a server that is out of order is not called untrustworthy', async () => {
  await using server = await openQuirkyServer()
  server.device = 'out of order'
  await using rooms = await openSleepers(server)
  const ended = await rooms.acquire.start(requestFor(DEVICE_METHOD), nobody, never)
  assert.deepEqual(ended, {
    kind: 'unavailable',
    reason: 'the server is out of order (HTTP 503)',
    next: 'Wait a few minutes',
  })
})
