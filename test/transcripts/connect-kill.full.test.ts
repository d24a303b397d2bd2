/**
 * `kill -9` of the kernel in the middle of "connect notion", with the real server behind it. At the next start the
 * connection resumes or ends with a clear message, and its credential is stored once or not at all.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, afterEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { OpenApi } from '../../src/api/client.ts'
import { findSocketApi } from '../../src/api/client.ts'
import type { ConnectionPhase, ConnectionView } from '../../src/ports/setup-port.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { finish, seen } from '../fixtures/cordon.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const CONNECTED = '✓ Notion connected. 24 tools available.'

const notion = createNotion(TOKEN)
const world = await openOutsideWorld({ [NOTION_HOST]: notion.answer })
const cordon = await openCordonIn(world, 'notion')
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function findKernel(): Promise<OpenApi> {
  const api = await findSocketApi(path.join(cordon.home, 'run', 'cordon.sock'))
  if (!api) throw new Error('no kernel runs')
  return api
}

/** Follows the connection until it is in this phase; fails if it has failed or was cancelled. */
async function until(phase: ConnectionPhase, from?: ConnectionView): Promise<ConnectionView> {
  const api = await findKernel()
  let view = from ?? (await api.call('connect.view', {})).connection
  while (view && view.phase !== phase) {
    assert.ok(!['failed', 'cancelled'].includes(view.phase), view.said.join('\n'))
    view = await api.call('connect.follow', { connection: view.connection, after: view.version })
  }
  if (!view) throw new Error('no flow')
  return view
}

/** Kills the kernel, waits until its servers are gone too, and starts it again. */
async function killAndRestart(): Promise<OpenApi> {
  const { pid } = await (await findKernel()).call('ping', {})
  process.kill(pid, 'SIGKILL')
  while (serversRunning() > 0) await pause(20)
  await cordon.ask(['up', '--detach'])
  return await findKernel()
}

/** Processes of this home's Notion server. */
function serversRunning(): number {
  const commands = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return commands.filter((pid) => commandOf(pid).includes(`${cordon.home}/packages/`)).length
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return '' // the process has ended
  }
}

/** Notion has one definition and one secret, and its server answers. */
async function assertConnected(api: OpenApi): Promise<void> {
  assert.deepEqual(readdirSync(path.join(cordon.home, 'mcp')), ['notion.toml'])
  const { secrets } = await api.call('vault.list', {})
  assert.deepEqual(
    secrets.map(({ name }) => name),
    ['notion_token'],
  )
  const call = { server: 'notion', tool: 'API-post-search', args: { query: 'plan' } }
  assert.equal((await api.call('mcp.call', call)).kind, 'ok')
}

afterEach(async () => {
  notion.hold = async () => undefined
  const api = await findKernel()
  await api.call('connect.remove', { server: 'notion', keepSecrets: false })
})

test('while it waits for the token: the question still stands', async () => {
  const first = await findKernel()
  const asked = await first.call('connect.start', { name: 'notion' })
  const api = await killAndRestart()
  const view = await until('awaiting-credential')
  assert.equal(view.connection, asked.connection)
  assert.ok(Date.parse(view.expiresAt) <= Date.parse(asked.expiresAt), 'no time is given away')
  const provided = await api.call('connect.provide', { connection: view.connection, value: TOKEN })
  const { said } = await until('connected', provided)
  assert.equal(said.at(-1), CONNECTED)
  await assertConnected(api)
})

for (const phase of ['installing', 'connecting'] as const) {
  test(`while it is ${phase}: that is done again, with the token that is stored`, async () => {
    const first = await findKernel()
    const { connection } = await first.call('connect.start', { name: 'notion' })
    await until(phase, await first.call('connect.provide', { connection, value: TOKEN }))
    const api = await killAndRestart()
    const view = await until('connected')
    assert.deepEqual([view.connection, view.said.at(-1)], [connection, CONNECTED])
    await assertConnected(api)
  })
}

test('while it tests the token: the terminal is told, and the flow goes on without it', async () => {
  const isTesting = Promise.withResolvers<void>()
  notion.hold = () => {
    isTesting.resolve()
    return new Promise(() => undefined)
  }
  const waiting = cordon.start(['connect', 'notion'])
  const ended = finish(waiting)
  waiting.stdin?.end(TOKEN)
  await seen(waiting.stderr, /Credential stored/)
  await isTesting.promise
  await until('verifying')
  notion.hold = async () => undefined
  const api = await killAndRestart()
  const { code, stderr } = await ended
  assert.equal(code, 5)
  assert.match(stderr, /cordon: error: Cannot reach the running kernel\ncordon: hint: /)
  assert.equal((await until('connected')).said.at(-1), CONNECTED)
  await assertConnected(api)
})
