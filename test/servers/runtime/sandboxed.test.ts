/** The same servers behind the real sandbox and proxy: they work, see only what they may, and leave nothing behind. */
import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { OWNER } from '../../../src/kernel/principal.ts'
import { createEgress } from '../../../src/egress/create-egress.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import type { ServerDeps } from '../../../src/servers/open-servers.ts'
import { STDERR_ALLOWANCE } from '../../../src/servers/session/follow-errors.ts'
import { until } from '../../fixtures/until.ts'
import { define, isAlive, openHouse, type TestHouse } from './direct-sandbox.ts'

/** The most bytes that the pipe and the streams between a server and its log hold. */
const ON_THE_WAY = 2 ** 19
const OF_THE_HOST = 'CORDON_TEST_OF_THE_HOST'
process.env[OF_THE_HOST] = 'not for servers'
const folder = mkdtempSync('/var/tmp/cordon-fixtures-')
chmodSync(folder, 0o755) // servers are not root, even where Cordon is
cpSync(fileURLToPath(new URL('../../fixtures/servers/', import.meta.url)), folder, {
  recursive: true,
})
const sandbox = await openSandbox({
  pinPath,
  nodePath: process.execPath,
  cordonHome: `${folder}-home`,
  userHome: homedir(),
  timings: { politeMs: 500, firmMs: 500 },
})
after(async () => {
  await sandbox[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function sandboxed(
  id: string,
  fixture: string,
  more: Partial<ServerDefinition> = {},
): ServerDefinition {
  const plain = define(id, fixture, more)
  const [script = '', ...args] = plain.args
  return {
    ...plain,
    command: 'node',
    args: [path.join(folder, path.basename(script)), ...args],
    sandbox: { ...plain.sandbox, readPaths: [folder] },
  }
}

async function open(
  definitions: ServerDefinition[],
  options: Partial<ServerDeps> & { readonly secrets?: Record<string, string> } = {},
): Promise<TestHouse & { readonly pids: number[] }> {
  const pids: number[] = []
  const launch: ServerDeps['sandbox']['launch'] = async (spec, signal) => {
    const launched = await sandbox.launch(spec, signal)
    pids.push(launched.pid)
    return launched
  }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const audit = { append: () => ({}) as never }
  const egress = createEgress({ owner: OWNER.id, audit, log, resolve: async () => [] })
  return {
    ...(await openHouse(definitions, { sandbox: { launch }, egress, ...options })),
    pids,
  }
}

test('an honest server works behind the sandbox, and is gone when it is stopped', async () => {
  await using house = await open([sandboxed('it', 'echo'), sandboxed('modern', 'modern')])
  assert.partialDeepStrictEqual(await house.call('it', 'echo', { text: 'hi' }), { kind: 'ok' })
  assert.equal((await house.call('modern', 'echo', { text: 'hi' })).kind, 'ok')
  const [state] = await house.servers.states()
  assert.equal(state?.badge, 'connected')
  assert.ok((state?.memoryBytes ?? 0) > 2 ** 20)
  assert.ok(state?.memoryLayer)
  await house.servers.stop(parseServerId('it'))
  assert.ok(!isAlive(house.pids[0] ?? 0))
  assert.ok(isAlive(house.pids[1] ?? 0))
})

test('an exfiltrator sees its own secret and no other, and does not get out', async () => {
  const auth = { TOKEN: { scheme: 'vault', name: 'token' } as const }
  const definition = sandboxed('it', 'exfiltrator', { auth, allowedDomains: ['api.example.test'] })
  await using house = await open([definition], { secrets: { token: 'only-this-secret-1' } })
  const seen = await house.call('it', 'structured')
  assert.ok(seen.kind === 'ok')
  const names = Object.keys(seen.value as object)
  assert.ok(names.includes('TOKEN'))
  assert.ok(!names.includes(OF_THE_HOST))
  const raw = await house.call('it', 'raw', { host: '127.0.0.1', port: 9 })
  assert.match(JSON.stringify(raw.kind === 'ok' && raw.value), /error/)
  const resolved = await house.call('it', 'resolve', { host: 'example.test' })
  assert.match(JSON.stringify(resolved.kind === 'ok' && resolved.value), /error/)
  const proxied = await house.call('it', 'proxy', { target: 'evil.test:443' })
  assert.match(JSON.stringify(proxied.kind === 'ok' && proxied.value), /HTTP\/1.1 403/)
  const logs = await house.servers.logs(parseServerId('it'))
  assert.ok(logs.some(({ from, text }) => from === 'egress' && text.includes('evil.test')))
})

test('SERVER-2: servers that die, hang or flood leave nothing behind', async () => {
  const house = await open(
    [
      sandboxed('dies', 'crasher at-once', { start: 'eager' }),
      sandboxed('hangs', 'crasher never-answers', { start: 'eager' }),
      sandboxed('stays', 'crasher ignores-stop', { start: 'eager' }),
      sandboxed('floods', 'nonsense', { start: 'eager' }),
    ],
    { timings: { startMs: 1500, restartDelaysMs: [20, 20, 20] } },
  )
  await until(() => house.pids.length >= 6)
  await house[Symbol.asyncDispose]()
  await until(() => !house.pids.some(isAlive))
})

test('SERVER-2: a server that floods standard error is read no faster than its allowance, and waits alone', async () => {
  await using house = await open([sandboxed('floods', 'flooder endless'), sandboxed('it', 'echo')])
  const written = async (): Promise<number> => {
    const result = await house.call('floods', 'echo')
    assert.equal(result.kind, 'ok', 'it waits for its pipe, but never for ever')
    return Number(/"(\d+)"/.exec(JSON.stringify(result.kind === 'ok' && result.value))?.[1])
  }
  await written()
  const began = performance.now()
  const { atOnce, perSecond } = STDERR_ALLOWANCE
  let bytes = 0
  while (bytes < atOnce + 4 * perSecond) {
    assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
    bytes = await written()
  }
  const seconds = (performance.now() - began) / 1000
  const most = atOnce + seconds * perSecond + ON_THE_WAY
  assert.ok(bytes <= most, `${bytes} bytes in ${seconds} s, at most ${most}`)
  const logs = await house.servers.logs(parseServerId('floods'))
  assert.ok(logs.some(({ from, text }) => from === 'cordon' && text.endsWith('dropped')))
})

test('a command that is not there is a sentence before anything runs', async () => {
  await using house = await open([{ ...sandboxed('it', 'echo'), command: 'no-such-program' }])
  const result = await house.call('it', 'echo', { text: 'hi' })
  assert.match(result.kind === 'failed' ? result.reason : '', /^Cannot .*no-such-program/)
  assert.deepEqual(house.pids, [])
})

test('SERVER-2: a folder that is replaced while it is served is read anew, and one that is gone is one sentence', async () => {
  const place = mkdtempSync('/var/tmp/cordon-served-')
  const fill = (name: string): void => {
    mkdirSync(place, { recursive: true })
    chmodSync(place, 0o755)
    writeFileSync(path.join(place, name), '')
  }
  fill('first.txt')
  const plain = sandboxed('it', 'lister')
  const readPaths = [...plain.sandbox.readPaths, place]
  const serving = { ...plain, sandbox: { ...plain.sandbox, readPaths } }
  await using house = await open([serving, sandboxed('other', 'echo')])
  const list = async (): Promise<string> => {
    const said = await house.call('it', 'list', { path: place })
    return said.kind === 'ok' ? JSON.stringify(said.value) : (said.reason ?? '')
  }
  assert.match(await list(), /names: first\.txt/)
  assert.equal((await house.call('other', 'echo', { text: 'hi' })).kind, 'ok')

  rmSync(place, { recursive: true })
  fill('second.txt')
  // Two at once: one restart, and neither is answered from the folder that is no more.
  const both = await Promise.all([list(), list()])
  for (const said of both) assert.match(said, /names: second\.txt/)
  assert.match(await list(), /names: second\.txt/)
  assert.equal(house.pids.length, 3)

  rmSync(place, { recursive: true })
  assert.equal(
    await list(),
    `Cannot show ${JSON.stringify(place)} to the server: it does not exist`,
  )
  assert.equal((await house.call('other', 'echo', { text: 'hi' })).kind, 'ok')
  assert.ok(isAlive(house.pids[1] ?? 0))

  fill('third.txt')
  assert.match(await list(), /names: third\.txt/)
  rmSync(place, { recursive: true })
})
