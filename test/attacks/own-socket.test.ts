/**
 * A server that listens on a Unix socket in its sandbox, and tries to lead Cordon to another socket, or to reach one
 * itself. Real bubblewrap, and a listener on the host that must never hear anything.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createEgress } from '../../src/egress/create-egress.ts'
import type { LaunchSpec, Sandbox } from '../../src/kernel/sandbox-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'
import { STDERR_ALLOWANCE } from '../../src/servers/session/follow-errors.ts'
import { untilListening } from '../../src/servers/session/until-listening.ts'
import { root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const folder = mkdtempSync(path.join(tmpdir(), 'cordon-own-socket-'))
stack.defer(() => rmSync(folder, { recursive: true, force: true }))
chmodSync(folder, 0o755)
const program = path.join(folder, 'uds-echo.mjs')
copyFileSync(path.join(root, 'test/fixtures/servers/uds-echo.mjs'), program)

const heard: string[] = []
const hostSocket = path.join(folder, 'host.sock')
let sandbox: Sandbox

before(async () => {
  const host = createServer(() => heard.push('path')).listen(hostSocket)
  const abstract = createServer(() => heard.push('abstract')).listen('\0cordon-own-socket-test')
  stack.defer(() => void host.close())
  stack.defer(() => void abstract.close())
  await Promise.all([once(host, 'listening'), once(abstract, 'listening')])
  chmodSync(hostSocket, 0o777)
  const places = { nodePath: process.execPath, cordonHome: path.join(folder, 'home') }
  const timings = { politeMs: 300, firmMs: 300 }
  sandbox = stack.use(await openSandbox({ ...places, pinPath, userHome: homedir(), timings }))
})

function spec(...args: readonly string[]): LaunchSpec {
  return {
    server: parseServerId('it'),
    command: 'node',
    args,
    environment: { MCP_SOCKET: '/run/mcp/it.sock' },
    networked: false,
    socketsAt: '/run/mcp',
    settings: {
      mode: 'bwrap',
      memoryLimitBytes: 256 * 2 ** 20,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [],
      writePaths: [],
    },
  }
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const egress = createEgress({
  owner: OWNER.id,
  audit: { append: () => ({}) as never },
  log: silent,
})

/** Bytes of the server's standard output that Cordon has read. */
let logged = 0
const count = () => ({
  push: (chunk: Uint8Array) => void (logged += chunk.length),
  end: () => undefined,
})

async function connectTo(...args: readonly string[]): Promise<unknown> {
  await using process = await sandbox.launch(spec(program, ...args), never)
  process.stderr.resume()
  const ring = { add: () => undefined, last: () => [], follow: count } as never
  const definition = { id: 'it', socketPath: '/run/mcp/it.sock' } as never
  const listening = { process, definition, ring, startMs: args.includes('link') ? 1000 : 20_000 }
  const socket = await untilListening(egress, listening, never)
  if (args.includes('flood')) await until(() => logged >= STDERR_ALLOWANCE.atOnce / 2)
  if (args.includes('flood')) await delay(500) // without an allowance, some hundred megabytes come in this time
  return socket.destroy()
}

test('SERVER-2: of a flood on its standard output no more is read than the allowance', async () => {
  await connectTo('flood')
  assert.ok(logged < 2 * STDERR_ALLOWANCE.atOnce, `${logged} bytes were read`)
})

test('SANDBOX-4: a link in place of its socket leads Cordon nowhere', async () => {
  await connectTo() // control: the socket itself is connected to
  await assert.rejects(
    connectTo('link', hostSocket),
    /did not listen on \/run\/mcp\/it\.sock within 1 s/,
  )
  assert.deepEqual(heard, [])
})

const TRY = `
const { connect } = require('node:net')
const tries = [process.argv[1], '\\0cordon-own-socket-test', '/run/mcp/../sockets/x']
for (const path of tries) connect(path).on('connect', () => console.log('connected')).on('error', ({ code }) => console.log(code))
`

test('SANDBOX-4: with Unix sockets a server reaches none of the host, by path or abstract name', async () => {
  await using process = await sandbox.launch(spec('--eval', TRY, hostSocket), never)
  process.stderr.resume()
  const said = (await text(process.stdout)).trim().split('\n').sort()
  assert.deepEqual(said, ['ECONNREFUSED', 'ENOENT', 'ENOENT'])
  assert.deepEqual(heard, [])
})
