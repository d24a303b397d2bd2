/**
 * Connects services in all four ways there are (paste, form, device code, browser), with the real command line and with
 * canaries as tokens, then searches everywhere for the canaries: files, logs, audit, process list, API answers, output.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  request as forward,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { findSocketApi } from '../../src/api/client.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { type Cordon, finish, type Ran, seen } from '../fixtures/cordon.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { canary } from '../fixtures/prompts/record-prompt.ts'
import { canariesIn } from '../fixtures/prompts/spellings.ts'
import { createBrowser } from '../oauth/browser.ts'
import { MCP_URL } from '../oauth/places.ts'

const PASTED = canary(`ntn_${'CanaryPaste7'.repeat(4)}`)
const ENTERED = canary(`ntn_${'CanaryForm42'.repeat(4)}`)
const DEVICE = canary(`gho_${'CanaryDevice'.repeat(3)}`)

/** Every file around the home except packages, which are sealed and compared with their hashes at every start. */
function filesOf({ home }: Cordon): readonly string[] {
  return readdirSync(path.dirname(home), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(path.join(home, 'packages')))
}

/** Searches the command line of every process on this machine every 40 ms, until disposed. */
function watchProcesses(canaries: Iterable<string>): Disposable & { readonly found: Set<string> } {
  const found = new Set<string>()
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`)
        for (const canary of canariesIn(words, canaries)) found.add(canary)
      } catch {
        // the process has ended
      }
    }
  }
  const timer = setInterval(look, 40)
  return { found, [Symbol.dispose]: () => clearInterval(timer) }
}

/** GitHub: hands out a device code, the token at the first poll, and search results to a request with that token. */
const github: RequestListener = (request, response) => {
  const form = 'application/x-www-form-urlencoded'
  if (request.url === '/login/device/code') {
    const page = encodeURIComponent('https://github.com/login/device')
    const answer = `device_code=a-code&expires_in=900&interval=1&user_code=WDJB-MJHT&verification_uri=${page}`
    response.writeHead(200, { 'content-type': form }).end(answer)
  } else if (request.url === '/login/oauth/access_token') {
    const answer = `access_token=${DEVICE}&token_type=bearer&scope=repo`
    response.writeHead(200, { 'content-type': form }).end(answer)
  } else {
    const isKnown = /^(?:token|bearer) gho_/i.test(request.headers.authorization ?? '')
    const found = { total_count: 0, incomplete_results: false, items: [] }
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? found : { message: 'Bad credentials' }))
  }
}

/** Terminates TLS in front of the authorization server and adds every token that server issues to the canaries. */
function frontOf(port: number, handedOut: Set<string>): RequestListener {
  return (incoming, outgoing) => {
    const headers = { ...incoming.headers }
    headers['x-forwarded-host'] = incoming.headers.host
    headers['x-forwarded-proto'] = 'https'
    const options = {
      port,
      host: '127.0.0.1',
      path: incoming.url,
      method: incoming.method,
      headers,
    }
    const pass = async (answer: IncomingMessage): Promise<void> => {
      const body = await text(answer)
      for (const [, value = ''] of body.matchAll(/"(?:access|refresh)_token":"([^"]+)"/g)) {
        handedOut.add(canary(value))
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(body)
    }
    incoming.pipe(forward(options, (answer) => void pass(answer)))
  }
}

/** A remote MCP server with one tool; a request without a token is sent to the sign-in. */
function mcpBehind(signIn: RequestListener): RequestListener {
  return (request, response) => {
    const isIn = request.headers.authorization !== undefined && request.method === 'POST'
    if (isIn) void answerAsServer(request, response)
    else signIn(request, response)
  }
}

const ABOUT = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'notes', version: '1' },
}
const RESULTS = new Map<string, object>([
  ['initialize', ABOUT],
  ['tools/list', { tools: [{ name: 'read', inputSchema: { type: 'object' } }] }],
])

async function answerAsServer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, method } = JSON.parse(await text(request)) as { id?: number; method: string }
  if (id === undefined) return void response.writeHead(202).end()
  const result = RESULTS.get(method)
  const answer = result ? { result } : { error: { code: -32601, message: 'no such method' } }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
}

/** Starts `connect`, waits until its output matches the pattern, then lets `act` finish the connection elsewhere. */
async function connectBy(
  cordon: Cordon,
  service: string,
  pattern: RegExp,
  act: (said: string) => Promise<unknown>,
): Promise<Ran> {
  const child = cordon.start(['connect', service])
  const ended = finish(child)
  await act(await seen(child.stderr, pattern))
  return await ended
}

async function fillIn(form: string, value: string): Promise<void> {
  const page = await (await fetch(form)).text()
  const nonce = /name="nonce" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const headers = {
    origin: new URL(form).origin,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const body = new URLSearchParams({ nonce, value }).toString()
  await fetch(form, { method: 'POST', headers, body })
}

// Regression 18
test('CANARY-1: a token that came by paste, form, device code or browser is nowhere but in the vault', async () => {
  const canaries = new Set([PASTED, ENTERED, DEVICE])
  await using oauth = await openOAuthServer()
  const front = frontOf(oauth.port, canaries)
  const [first, second] = [createNotion(PASTED), createNotion(ENTERED)]
  let notion = first
  await using world = await openOutsideWorld({
    [NOTION_HOST]: (request, response) => notion.answer(request, response),
    'github.com': github,
    'api.github.com': github,
    'as.cordon.test': front,
    'mcp.cordon.test': mcpBehind(front),
  })
  await using cordon = await openCordonIn(world, 'notion', 'github')
  writeFileSync(path.join(cordon.home, 'config.toml'), '[oauth.github]\nclient_id = "cordon"\n')
  using processes = watchProcesses(canaries)
  const ran: Ran[] = []

  const talk = [
    'connect notion',
    ENTERED,
    PASTED,
    'notion.API-post-search query="plan"',
    PASTED,
    `connect npx -y some-server --token ${PASTED}`,
  ]
  ran.push(await cordon.run(['chat'], { stdin: talk.join('\n') }))
  assert.match(ran[0]?.stdout ?? '', /doesn't work[^]*✓ Notion connected[^]*"plan"/)
  ran.push(await cordon.run(['disconnect', 'notion', '--yes']))
  notion = second
  const form = /http:\/\/localhost:\d+\/credential\/notion\/\S+/
  const byForm = await connectBy(cordon, 'notion', form, async (said) => {
    await fillIn(form.exec(said)?.[0] ?? '', ENTERED)
  })
  const byDevice = await connectBy(cordon, 'github', /Code: WDJB-MJHT/, async () => undefined)
  const link = /https:\/\/as\.cordon\.test\S+/
  await cordon.ask(['mcp', 'add', 'notes', '--url', MCP_URL])
  const byBrowser = await connectBy(cordon, 'notes', link, async (said) => {
    await createBrowser(oauth.port).open(link.exec(said)?.[0] ?? '')
  })
  for (const one of [byForm, byDevice, byBrowser]) assert.match(one.stdout, /^✓ .* connected\./m)
  ran.push(byForm, byDevice, byBrowser)
  assert.equal(canaries.size, 5, 'an access and a refresh token were handed out')

  const api = await findSocketApi(path.join(cordon.home, 'run', 'cordon.sock'))
  assert.ok(api)
  const answers = [
    await api.call('connect.view', {}),
    await api.call('auth.status', {}),
    await api.call('vault.list', {}),
    await api.call('mcp.list', {}),
    await api.call('mcp.show', { server: 'notion' }),
    await api.call('mcp.logs', { server: 'notion' }),
    await api.call('mcp.messages', { server: 'notion' }),
    await api.call('mcp.show', { server: 'github' }),
    await api.call('audit.read', { limit: 1000 }),
    await api.call('status', {}),
  ]
  ran.push(await cordon.run(['audit', 'export']), await cordon.run(['auth', 'status']))
  ran.push(await cordon.run(['auth', 'refresh', 'notes']))
  await cordon.run(['down'])

  assert.deepEqual([...processes.found], [])
  for (const { stdout, stderr } of ran) assert.deepEqual(canariesIn(stdout + stderr, canaries), [])
  assert.deepEqual(canariesIn(JSON.stringify(answers), canaries), [])
  const files = filesOf(cordon)
  for (const name of ['audit.jsonl', 'notion.toml', 'github.toml']) {
    assert.ok(
      files.some((file) => file.endsWith(name)),
      name,
    )
  }
  const leaks = files.filter((file) => canariesIn(readFileSync(file), canaries).length > 0)
  assert.deepEqual(leaks, [])
})

test('CANARY-1: the sweep finds what it looks for, however it is spelled', () => {
  const basic = Buffer.from(`somebody:${PASTED}:x`).toString('base64')
  const hex = Buffer.from(`…${PASTED}`).toString('hex')
  for (const leak of [`a ${PASTED} b`, `Basic ${basic}`, hex, hex.toUpperCase()]) {
    assert.deepEqual(canariesIn(leak, [PASTED, ENTERED]), [PASTED], leak)
  }
})
