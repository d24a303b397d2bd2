/** Servers that answer with HTTP and not with MCP, at the start and in a call: one sentence with the next step each. */
import assert from 'node:assert/strict'
import type { RequestListener, ServerResponse } from 'node:http'
import { text as bodyOf } from 'node:stream/consumers'
import { test } from 'node:test'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { FOR_EVER_MS } from '../../fixtures/until.ts'
import { never } from './direct-sandbox.ts'
import { createSseServer, createStreamServer, openRemote, remote } from './http-server.ts'

const id = parseServerId('it')
const sse = () => remote({ transport: 'sse', url: 'https://allowed.example/sse' })
const timings = { callMs: 3000, restartDelaysMs: [FOR_EVER_MS] }

type Headers = Readonly<Record<string, string>>
interface Odd {
  readonly status: number
  readonly headers?: Headers
  readonly body?: string
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const JSON_TYPE = { 'content-type': 'application/json' }
const LOGIN =
  '<!doctype html><title>Log in\u001b[2J</title><form><input type="password" name="p"></form>'

function send(response: ServerResponse, { status, headers = {}, body }: Odd): void {
  response.writeHead(status, headers).end(body)
}

/** A working server whose calls are answered in the odd way of the moment. */
function oddCalls(
  odd: () => Odd | string,
  create = createStreamServer,
  method = 'tools/call',
): RequestListener {
  const { listener } = create()
  return (request, response) => {
    if (request.method !== 'POST') return listener(request, response)
    const answer = async (): Promise<void> => {
      const body = await bodyOf(request)
      const message = JSON.parse(body) as { readonly id: number; readonly method: string }
      const now = odd()
      if (message.method !== method) {
        Object.assign(request, { [Symbol.asyncIterator]: () => [body].values() })
        return listener(request, response)
      }
      if (typeof now !== 'string') return send(response, now)
      const whole = `{"jsonrpc":"2.0","id":${message.id},${now}}`
      send(response, { status: 200, headers: JSON_TYPE, body: whole })
    }
    void answer()
  }
}

interface Told {
  readonly code?: string
  readonly reason: RegExp
  readonly hint?: RegExp
  readonly wait?: number
}

const REFUSALS: readonly (readonly [string, Odd, Told])[] = [
  [
    'a dead token',
    { status: 401, headers: JSON_TYPE, body: '{"error":{"message":"Bad \\u200btoken"}}' },
    {
      code: 'call.unauthorized',
      reason:
        /^The server does not accept the credential \(HTTP status 401\); it says: "Bad token"$/,
      hint: /`cordon connect it --again`/,
    },
  ],
  [
    'a token that is called invalid with 403',
    { status: 403, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
    { code: 'call.unauthorized', reason: /does not accept the credential \(HTTP status 403\)$/ },
  ],
  [
    'missing scopes',
    {
      status: 403,
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="repo write"' },
    },
    {
      code: 'call.forbidden',
      reason: /^The server wants permissions that the credential does not have: repo write$/,
      hint: /^Sign in again, or give it a token that may do more/,
    },
  ],
  [
    'a plan',
    { status: 403, headers: JSON_TYPE, body: '{"message":"Your plan has no API access"}' },
    {
      code: 'call.forbidden',
      reason:
        /^The server does not allow this to your account \(HTTP status 403\); it says: "Your plan has no API access"$/,
      hint: /your account and its plan/,
    },
  ],
  [
    'a limit in seconds',
    { status: 429, headers: { 'retry-after': '30' } },
    {
      code: 'call.rate-limited',
      reason:
        /^The server wants fewer requests \(HTTP status 429\); it asks to wait for 30 seconds$/,
      hint: /when that time is over/,
      wait: 30,
    },
  ],
  [
    'a limit until a date',
    { status: 429, headers: { 'retry-after': new Date(Date.now() + 7_200_000).toUTCString() } },
    { code: 'call.rate-limited', reason: /it asks to wait for 2 hours, until \d\d:\d\d UTC$/ },
  ],
  [
    'a limit that is called forbidden',
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'retry-after': '5' } },
    { code: 'call.rate-limited', reason: /it asks to wait for 5 seconds$/, wait: 5 },
  ],
  [
    'a server that is down for a while',
    { status: 503, headers: { 'retry-after': '60' }, body: 'Maintenance' },
    {
      code: 'call.server-error',
      reason:
        /^The server answered with HTTP status 503; it says: "Maintenance"; it asks to wait for 60 seconds$/,
    },
  ],
]

for (const [kind, create, define] of [
  ['stream-http', createStreamServer, remote],
  ['sse', createSseServer, sse],
] as const) {
  test(`${kind}: a refused call says why, and what to do`, async () => {
    let now: Odd = { status: 200 }
    const listener = oddCalls(() => now, create)
    await using house = await openRemote(define(), listener, { timings })
    for (const [name, odd, { code, reason, hint, wait }] of REFUSALS) {
      now = odd
      const result = await house.call('it', 'echo', { text: 'hi' })
      assert.ok(result.kind === 'failed', name)
      assert.equal(result.code, code, name)
      assert.match(result.reason, reason)
      if (hint) assert.match(result.hint ?? '', hint)
      if (wait !== undefined) assert.equal(result.retryAfterSeconds, wait, name)
    }
    const logs = (await house.servers.logs(id)).map(({ from, text }) => `${from} ${text}`)
    assert.ok(logs.includes('cordon The server wants fewer requests (HTTP status 429)'))
  })
}

const answered = (headers: Headers, body?: string, status = 200): Odd =>
  body === undefined ? { status, headers } : { status, headers, body }
const PLAIN = { 'content-type': 'text/plain' }

const ANSWERS: readonly (readonly [Odd, RegExp])[] = [
  [answered(HTML, LOGIN), /a web page to sign in instead of MCP; it says: "Log in\[2J"/],
  [answered(HTML, '<html><h1>Hello'), /answered with a web page instead of MCP/],
  [answered(PLAIN, 'OK'), /answered with text\/plain instead of MCP; it says: "OK"/],
  [answered({}), /answered with nothing \(HTTP status 200\)/],
  [answered({}, undefined, 204), /answered with nothing \(HTTP status 204\)/],
  [answered({}, undefined, 202), /answered with nothing \(HTTP status 202\)/],
  [answered(JSON_TYPE, '{"ok":true,"data":[1]}'), /JSON that is no MCP message/],
  [answered(JSON_TYPE, '{"jsonrpc":"2.0","id":'), /JSON that is no MCP message/],
  [
    answered({ location: 'https://sso.example/login?t=tok' }, undefined, 302),
    /redirects to "sso\.example", to a page to sign in, which is not followed/,
  ],
]

test('an answer that is no MCP is told in one sentence, in a call', async () => {
  let now: Odd = { status: 200 }
  await using house = await openRemote(
    remote(),
    oddCalls(() => now),
    { timings },
  )
  for (const [odd, reason] of ANSWERS) {
    now = odd
    const result = await house.call('it', 'echo', { text: 'hi' })
    assert.ok(result.kind === 'failed')
    assert.match(result.reason, reason)
    assert.match(result.code ?? '', /^call\.(?:unreadable|status)$/)
    assert.doesNotMatch(result.reason + (result.hint ?? ''), /tok|expected|\n/)
  }
})

test('an answer that is no MCP is told in one sentence, at the start', async () => {
  let now: Odd = { status: 200 }
  await using house = await openRemote(remote(), (_, response) => send(response, now), { timings })
  for (const [odd, reason] of ANSWERS) {
    now = odd
    await assert.rejects(house.servers.start(id, never), { code: 'servers.start' })
    const [state] = await house.servers.states()
    assert.match(state?.reason ?? '', reason)
    assert.doesNotMatch(state?.reason ?? '', /\n|tok\b/)
    await house.servers.stop(id)
  }
})

test('the old transport that gets a page instead of a stream says so', async () => {
  const page: Odd = { status: 200, headers: HTML, body: LOGIN }
  await using house = await openRemote(sse(), (_, response) => send(response, page), { timings })
  await assert.rejects(house.servers.start(id, never))
  const [state] = await house.servers.states()
  assert.match(state?.reason ?? '', /a web page to sign in instead of MCP/)
  assert.match(state?.reason ?? '', /it often ends in \/mcp or \/sse/)
  await house.servers.stop(id)
})

test('403 at the start asks for another credential only where the credential is to blame', async () => {
  const codeFor = async (odd: Odd): Promise<string> => {
    await using house = await openRemote(remote(), (_, response) => send(response, odd), {
      timings,
    })
    const result = await house.call('it', 'echo', {})
    return result.kind === 'failed' ? `${result.code}: ${result.reason}` : result.kind
  }
  assert.equal(
    await codeFor({ status: 403, headers: JSON_TYPE, body: '{"message":"Upgrade to Pro"}' }),
    'servers.forbidden: Cannot use server "it": it does not allow this to your account (HTTP status 403); it says: "Upgrade to Pro"',
  )
  assert.match(
    await codeFor({ status: 403, body: 'Token expired' }),
    /^servers\.unauthorized: .*it says: "Token expired"$/,
  )
  assert.match(await codeFor({ status: 403 }), /^servers\.unauthorized: /)
})

test('content of a kind that nobody knows comes through as it is', async () => {
  const content = [{ type: 'hologram', data: 1 }]
  const listener = oddCalls(() => `"result":${JSON.stringify({ content })}`)
  await using house = await openRemote(remote(), listener, { timings })
  const result = await house.call('it', 'echo', {})
  assert.deepEqual(result.kind === 'ok' && result.value, content)
})

test('a JSON-RPC error says how long to wait, and which page to visit, whole', async () => {
  let now = ''
  await using house = await openRemote(
    remote(),
    oddCalls(() => now),
    { timings },
  )
  const failed = async (error: object) => {
    now = `"error":${JSON.stringify(error)}`
    const result = await house.call('it', 'echo', {})
    assert.ok(result.kind === 'failed')
    return result
  }
  const slow = await failed({ code: -32_000, message: 'Slow down', data: { retryAfterMs: 90_000 } })
  assert.deepEqual(slow, {
    kind: 'failed',
    reason: 'Slow down; it asks to wait for 90 seconds',
    retryAfterSeconds: 90,
    rpcCode: -32_000,
  })
  const url = `https://allowed.example/consent?state=${'x'.repeat(900)}`
  const visit = (page: string) => ({
    code: -32_042,
    message: 'URL elicitation required',
    data: {
      elicitations: [{ mode: 'url', elicitationId: '1', url: page, message: 'Agree\u202e!' }],
    },
  })
  const asked = await failed(visit(url))
  assert.equal(asked.code, 'call.unsupported')
  assert.equal(
    asked.reason,
    `Server "it" wants you to visit a page first: ${url}; it says: "Agree!"`,
  )
  assert.match(asked.hint ?? '', /^Open it yourself .* Cordon never opens it for you$/)
  for (const page of ['http://allowed.example', 'https://me:pw@allowed.example', 'javascript:1']) {
    const { reason } = await failed(visit(page))
    assert.match(reason, /names none with a plain https address$/)
    assert.ok(!reason.includes(page))
  }
})

test('tools that cannot be used are named with the reason, in the log and in the state', async () => {
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }, { name: 'a' }, { name: 'b\u200b' }]
  const list = `"result":${JSON.stringify({ tools })}`
  const listener = oddCalls(() => list, createStreamServer, 'tools/list')
  await using house = await openRemote(remote(), listener, { timings })
  await house.servers.start(id, never)
  const told = [
    'Tool "a" was left out: another tool of the list has the same name',
    'Tool "b\\u200b" was left out: its name has characters that cannot be seen',
  ]
  const [state] = await house.servers.states()
  assert.deepEqual([state?.tools, state?.leftOut], [1, told])
  const logs = await house.servers.logs(id)
  assert.deepEqual(
    logs.map(({ text }) => text).filter((text) => text.includes('left out')),
    told,
  )
})
