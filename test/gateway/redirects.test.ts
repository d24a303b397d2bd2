/** Programs that come back by a scheme of their own, and programs that are described by a document on the web. */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { openCordon, OUTSIDE_MAIN } from '../fixtures/cordon.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import {
  allow,
  askToken,
  openGateway,
  register,
  show,
  signIn,
  statusWith,
} from '../fixtures/signing-in.ts'

const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'
const ON_THE_WEB = 'https://vscode.dev/redirect'

function queryOf(origin: string, clientId: string, redirectUri: string) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
  })
  const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri }
  return { query, form: { ...form, code_verifier: verifier } }
}

test('SIGNIN-2: a known program signs in by its own scheme, and the page names it', async () => {
  await using cordon = openCordon()
  const origin = await openGateway(cordon)
  const owner = await signIn(cordon, origin)
  const registered = await register(origin, {
    client_name: 'Some editor',
    redirect_uris: [ON_THE_WEB, CURSOR],
  })
  assert.equal(registered.status, 201)
  const { client_id: id, redirect_uris: taken } = (await registered.json()) as {
    client_id: string
    redirect_uris: string[]
  }
  assert.deepEqual(taken, [CURSOR])
  const { query, form } = queryOf(origin, id, CURSOR)
  const page = await (await show(owner, query)).text()
  assert.match(page, /“<bdi>Some editor<\/bdi>”/)
  assert.match(page, /<code>cursor:<\/code> addresses, which should be\s+<strong>Cursor<\/strong>/)
  const back = await allow(owner, query)
  assert.ok(back.href.startsWith(`${CURSOR}?code=`), back.protocol)
  const code = back.searchParams.get('code') ?? ''
  const { status, body } = await askToken(origin, { ...form, code })
  assert.equal(status, 200)
  assert.equal(await statusWith(origin, body['access_token'] ?? ''), 200)
  for (const other of [ON_THE_WEB, `${CURSOR}/other`, 'vscode://anysphere.cursor-mcp/callback']) {
    const refused = await show(owner, queryOf(origin, id, other).query)
    assert.equal(refused.status, 400, other)
  }
})

test('SIGNIN-2: a program is described by the document at its client id, read over TLS from its own host', async () => {
  const host = 'mcp.acme.dev'
  const id = (file: string): string => `https://${host}/${file}`
  const about = { client_name: 'Acme', redirect_uris: ['http://127.0.0.1/callback', ON_THE_WEB] }
  const documents: Readonly<Record<string, object>> = {
    '/client.json': { ...about, client_id: id('client.json') },
    '/other.json': { ...about, client_id: id('client.json') },
  }
  const asked: string[] = []
  const listener: RequestListener = (request, response) => {
    const { url = '' } = request
    asked.push(url)
    const document = documents[url]
    if (url === '/moved.json') response.writeHead(302, { Location: '/client.json' }).end()
    else if (document) response.writeHead(200, { 'Content-Type': 'application/json' })
    else response.writeHead(404)
    if (!response.writableEnded) response.end(document && JSON.stringify(document))
  }
  await using world = await openOutsideWorld({ [host]: listener })
  await using cordon = openCordon({ entry: OUTSIDE_MAIN, environment: world.environment })
  const origin = await openGateway(cordon)
  const owner = await signIn(cordon, origin)
  const back = 'http://127.0.0.1:50505/callback'
  const { query, form } = queryOf(origin, id('client.json'), back)
  const page = await (await show(owner, query)).text()
  assert.match(page, /published at <strong>mcp\.acme\.dev<\/strong>/)
  const code = (await allow(owner, query)).searchParams.get('code') ?? ''
  const { body } = await askToken(origin, { ...form, code })
  assert.equal(await statusWith(origin, body['access_token'] ?? ''), 200)
  for (const file of ['other.json', 'moved.json', 'none.json']) {
    const refused = await show(owner, queryOf(origin, id(file), back).query)
    assert.equal(refused.status, 400, file)
  }
  assert.ok(asked.includes('/moved.json'))
})
