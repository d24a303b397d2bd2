/**
 * Programs that only know the address of the gateway: the official SDK's own sign-in against a real kernel, and the
 * attacks on each step.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'
import {
  BACK,
  JSON_TYPE,
  allow,
  answer,
  askToken,
  backFrom,
  codeForm,
  newLink,
  nonceIn,
  openGateway,
  openProgram,
  register,
  show,
  signIn,
  statusWith,
} from '../fixtures/signing-in.ts'

/** Remembers what the SDK wants remembered. */
function createProvider(): OAuthClientProvider & { asked: URL | undefined } {
  const kept: Record<string, unknown> = {}
  const provider: OAuthClientProvider & { asked: URL | undefined } = {
    asked: undefined,
    redirectUrl: BACK,
    clientMetadata: { client_name: 'The <b>SDK</b>', redirect_uris: [BACK] },
    clientInformation: () => kept['client'] as never,
    saveClientInformation: (client) => void (kept['client'] = client),
    tokens: () => kept['tokens'] as never,
    saveTokens: (tokens) => void (kept['tokens'] = tokens),
    redirectToAuthorization: (url) => void (provider.asked = url),
    saveCodeVerifier: (verifier) => void (kept['verifier'] = verifier),
    codeVerifier: () => kept['verifier'] as string,
    saveDiscoveryState: (state) => void (kept['discovery'] = state),
    discoveryState: () => kept['discovery'] as never,
  }
  return provider
}

test('SIGNIN-1: the SDK signs in with the address alone; refresh, and removal ends it', async () => {
  await using cordon = openCordon()
  const at = await openGateway(cordon)
  const owner = await signIn(cordon, at)
  for (const origin of [at, at.replace('127.0.0.1', 'localhost')]) {
    const provider = createProvider()
    const open = () =>
      new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: provider })
    const first = open()
    const stranger = new Client({ name: 'test', version: '1' })
    await assert.rejects(stranger.connect(first), UnauthorizedError)
    assert.ok(provider.asked)
    const page = await show(owner, provider.asked.searchParams)
    const text = await page.text()
    assert.match(text, /The &lt;b&gt;SDK&lt;\/b&gt;/) // the program's words are never markup
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    await first.finishAuth((await allow(owner, provider.asked.searchParams)).searchParams)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(open())
    const sum = await client.callTool({ name: 'echo__sum', arguments: { a: 1, b: 2 } })
    assert.deepEqual(sum.structuredContent, { total: 3 })
    await client.close()
    const { clients } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
    assert.deepEqual(
      clients.map(({ name, isSignedIn }) => [name, isSignedIn]),
      [['the-b-sdk-b', true]],
    )
    const tokens = (await provider.tokens()) as { access_token: string; refresh_token: string }
    const { client_id: id = '' } = ((await provider.clientInformation()) ?? {}) as {
      client_id?: string
    }
    const refresh = { grant_type: 'refresh_token', client_id: id }
    const next = await askToken(origin, { ...refresh, refresh_token: tokens.refresh_token })
    assert.equal(next.status, 200)
    assert.equal(await statusWith(origin, tokens.access_token), 401)
    assert.equal(await statusWith(origin, next.body['access_token'] ?? ''), 200)
    await cordon.ask(['client', 'remove', 'the-b-sdk-b', '--yes'])
    assert.equal(await statusWith(origin, next.body['access_token'] ?? ''), 401)
    const late = await askToken(origin, {
      ...refresh,
      refresh_token: next.body['refresh_token'] ?? '',
    })
    assert.equal(late.body['error'], 'invalid_grant')
    // A later client of the same name is another one.
    await cordon.ask(['client', 'add', 'the-b-sdk-b'])
    assert.equal(await statusWith(origin, next.body['access_token'] ?? ''), 401)
    await cordon.ask(['client', 'remove', 'the-b-sdk-b', '--yes'])
  }
})

test('SIGNIN-1: a refresh token that is used twice ends the sign-in, for the thief and for the program', async () => {
  await using cordon = openCordon()
  const origin = await openGateway(cordon)
  const owner = await signIn(cordon, origin)
  const program = await openProgram(origin)
  const { body } = await askToken(origin, codeForm(program, await allow(owner, program.query)))
  const refresh = { grant_type: 'refresh_token', client_id: program.clientId }
  const used = { ...refresh, refresh_token: body['refresh_token'] ?? '' }
  const next = await askToken(origin, used)
  const token = next.body['access_token'] ?? ''
  assert.equal(await statusWith(origin, token), 200)
  const listening = await listen(origin, token)
  assert.equal((await askToken(origin, used)).body['error'], 'invalid_grant')
  assert.equal(await statusWith(origin, token), 401)
  const late = delay(1000, 'open', { ref: false })
  assert.equal(await Promise.race([...listening, late]), 'cut', 'nor is anything left open')
})

/** A request without an end of its own. Once it is answered, its end; in a list, because a promise alone would be awaited. */
async function listen(origin: string, token: string): Promise<Promise<'cut'>[]> {
  const meta = 'io.modelcontextprotocol/'
  const version = '2026-07-28'
  const _meta = { [`${meta}protocolVersion`]: version, [`${meta}clientCapabilities`]: {} }
  const params = { _meta, notifications: { toolsListChanged: true } }
  const method = 'subscriptions/listen'
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      ...JSON_TYPE,
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${token}`,
      'MCP-Protocol-Version': version,
      'Mcp-Method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  assert.equal(response.status, 200)
  const cut = (): 'cut' => 'cut'
  return [response.text().then(cut, cut)]
}

test('SIGNIN-2: codes: replayed, without or with a wrong verifier, of another program, for another resource', async () => {
  await using cordon = openCordon()
  const origin = await openGateway(cordon)
  const owner = await signIn(cordon, origin)
  const program = await openProgram(origin)
  const fresh = async () => codeForm(program, await allow(owner, program.query))
  const other = await openProgram(origin, 'Another')
  const changes: readonly Readonly<Record<string, string>>[] = [
    { code_verifier: '' },
    { code_verifier: randomBytes(32).toString('base64url') },
    { client_id: other.clientId },
    { redirect_uri: 'http://127.0.0.1:1/callback' },
    { resource: 'https://elsewhere.example/mcp' },
    { grant_type: 'password' },
  ]
  for (const change of changes) {
    const { status, body } = await askToken(origin, { ...(await fresh()), ...change })
    assert.equal(status, 400)
    assert.match(body['error'] ?? '', /^(?:invalid_|unsupported_)/)
  }
  const form = await fresh()
  const { body } = await askToken(origin, form)
  assert.equal(await statusWith(origin, body['access_token'] ?? ''), 200)
  assert.equal((await askToken(origin, form)).body['error'], 'invalid_grant')
  // A code that is replayed was stolen: the token that was given for it ends too.
  assert.equal(await statusWith(origin, body['access_token'] ?? ''), 401)
})

test('SIGNIN-2: only redirects to this machine, PKCE with S256, and the own resource', async () => {
  await using cordon = openCordon()
  const origin = await openGateway(cordon)
  const owner = await signIn(cordon, origin)
  for (const uri of [
    'https://evil.example/callback',
    'http://evil.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://user@127.0.0.1/',
    'unknown://program/callback',
    'cursor:callback',
    'cursor://user@program/callback',
    'javascript:alert(1)',
  ]) {
    const refused = await register(origin, { redirect_uris: [uri] })
    assert.equal(refused.status, 400, uri)
    const { query } = await openProgram(origin)
    query.set('redirect_uri', uri)
    const page = await show(owner, query)
    assert.equal(page.status, 400, uri)
    assert.doesNotMatch(await page.text(), /http-equiv|name="nonce"/)
  }
  const { query } = await openProgram(origin)
  query.set('redirect_uri', BACK.replace('49152', '50505'))
  assert.match(await (await show(owner, query)).text(), /name="nonce"/) // any port: RFC 8252
  const wrong: readonly (readonly [string, string, string])[] = [
    ['code_challenge', '', 'invalid_request'],
    ['code_challenge_method', 'plain', 'invalid_request'],
    ['response_type', 'token', 'unsupported_response_type'],
    ['resource', 'https://elsewhere.example/mcp', 'invalid_target'],
  ]
  for (const [name, value, error] of wrong) {
    const changed = new URLSearchParams(query)
    changed.set(name, value)
    const back = await backFrom(await show(owner, changed))
    assert.equal(back.searchParams.get('error'), error)
    assert.equal(back.searchParams.get('state'), 'of-the-program')
    assert.equal(back.searchParams.get('iss'), origin)
  }
})

test('SIGNIN-3: only the owner says yes: no session, no second secret, a foreign page, a nonce twice', async () => {
  await using cordon = openCordon()
  const origin = await openGateway(cordon)
  const owner = await signIn(cordon, origin)
  const { query } = await openProgram(origin)
  const fresh = async () => nonceIn(await (await show(owner, query)).text())
  const stranger = { ...owner, cookie: 'x=y' }
  assert.equal((await show(stranger, query)).status, 401)
  const nonce = await fresh()
  assert.equal((await answer(stranger, { nonce, csrf: owner.csrf, answer: 'allow' })).status, 401)
  const yes = async (form: Record<string, string>, headers?: Record<string, string>) =>
    (await answer(owner, { nonce: await fresh(), answer: 'allow', ...form }, headers)).status
  // The cookie alone is seen by every local server that the owner visits.
  assert.equal(await yes({}), 403)
  assert.equal(await yes({ csrf: 'wrong' }), 403)
  assert.equal(await yes({ csrf: owner.csrf, nonce: 'wrong' }), 403)
  assert.equal(await yes({ csrf: owner.csrf }, { Origin: 'https://evil.example' }), 403)
  assert.equal(await yes({ csrf: owner.csrf }, {}), 403)
  const { clients } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  assert.deepEqual(clients, [])
  const taken = await fresh()
  const form = { nonce: taken, csrf: owner.csrf, answer: 'allow' }
  assert.ok((await backFrom(await answer(owner, form))).searchParams.has('code'))
  assert.equal((await answer(owner, form)).status, 403)
  // Without scripts, a fresh link from the terminal stands for the second secret, once.
  const link = await newLink(cordon)
  assert.equal(await yes({ link }), 200)
  assert.equal(await yes({ link }), 403)
  const no = await answer(owner, { nonce: await fresh(), answer: 'deny' })
  assert.equal((await backFrom(no)).searchParams.get('error'), 'access_denied')
})

test('SIGNIN-3: a token is one client: it opens no session of another, and websites reach no address', async () => {
  await using cordon = openCordon()
  const origin = await openGateway(cordon)
  const owner = await signIn(cordon, origin)
  const tokens: string[] = []
  for (const name of ['One', 'Two']) {
    const program = await openProgram(origin, name)
    const { body } = await askToken(origin, codeForm(program, await allow(owner, program.query)))
    tokens.push(body['access_token'] ?? '')
  }
  const post = (token: string | undefined, message: object, session?: string) =>
    fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        ...JSON_TYPE,
        Authorization: `Bearer ${token}`,
        ...(session !== undefined && { 'Mcp-Session-Id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })
  const params = { protocolVersion: '2025-06-18', capabilities: {} }
  const opened = await post(tokens[0], { method: 'initialize', params })
  const session = opened.headers.get('mcp-session-id') ?? ''
  assert.equal((await post(tokens[0], { method: 'tools/list' }, session)).status, 200)
  assert.equal((await post(tokens[1], { method: 'tools/list' }, session)).status, 404)
  for (const path of [
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
  ]) {
    assert.equal((await fetch(`${origin}${path}`)).status, 200)
    const foreign = { headers: { Origin: 'https://evil.example' } }
    assert.equal((await fetch(`${origin}${path}`, foreign)).status, 403)
  }
})
