/** Calls that the API refuses to every browser, even one that is signed in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeIn, JSON_BODY, openTestWeb, request, send } from '../../../src/web/fake-client.ts'

const COMMAND = { command: 'touch', args: ['/tmp/owned'] }
const FLOW = { kind: 'text', text: 'llm' }

test('O8: what takes a command, a server out of its sandbox, definitions from the disk, or a yes beforehand, is for the terminal only', async (t) => {
  const any = async () => ({}) as never
  const { port, web, calls } = await openTestWeb(t, {
    'mcp.add': any,
    'mcp.edit': any,
    'tools.set': any,
    'mcp.unsandbox': any,
    'mcp.migrate': any,
    'mcp.trust': any,
    'mcp.call': any,
    'flows.start': any,
    'flows.schedule': any,
  })
  const honest = [`Host: 127.0.0.1:${port}`, `Origin: http://127.0.0.1:${port}`, JSON_BODY]
  const token = web.createLink().url.split('#enter=')[1]
  const entered = await send(
    { port },
    request('POST /api/session/enter', honest, JSON.stringify({ token })),
  )
  const cookie = `Cookie: ${/set-cookie: ([^;]+)/i.exec(entered)?.[1]}`
  const csrf = `X-Cordon-Csrf: ${/"csrf":"([^"]+)"/.exec(entered)?.[1]}`
  for (const [route, body] of [
    ['mcp.add', { server: 'x', changes: COMMAND }],
    ['mcp.edit', { server: 'x', changes: COMMAND }],
    ['tools.set', { server: 'x', tool: 'y', semantics: 'read' }],
    ['mcp.unsandbox', { server: 'x' }],
    ['mcp.migrate', { path: '/tmp/evil.toml', dryRun: false, backup: false, replace: true }],
    ['mcp.trust', { folder: '/tmp/evil' }],
    ['mcp.call', { server: 'x', tool: 'y', args: {}, approval: 'given' }],
    ['flows.start', { source: FLOW, approval: 'given' }],
    ['flows.start', { source: FLOW, folder: '/' }],
    ['flows.schedule', { name: 'x', cron: '* * * * *', sinks: ['sink:owner'], template: 't' }],
  ] as const) {
    const answer = await send(
      { port },
      request(`POST /api/${route}`, [...honest, cookie, csrf], JSON.stringify(body)),
    )
    assert.equal(codeIn(answer), '403 web.terminal-only', route)
  }
  assert.deepEqual(calls, [])
  for (const [route, body] of [
    ['mcp.call', { server: 'x', tool: 'y', args: {}, approval: 'wait' }],
    ['flows.start', { source: FLOW, approval: 'wait' }],
  ] as const) {
    const answer = await send(
      { port },
      request(`POST /api/${route}`, [...honest, cookie, csrf], JSON.stringify(body)),
    )
    assert.match(answer, /^HTTP\/1\.1 200/, route)
  }
})
