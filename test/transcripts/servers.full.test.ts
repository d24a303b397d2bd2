/** A server's whole life, seen from a terminal. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import type { KernelStatus } from '../../src/api/kernel.ts'
import type { ServerState } from '../../src/kernel/server-state.ts'
import { type Cordon, openCordon, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'

const fixture = (name: string) => path.join(root, 'test', 'fixtures', 'servers', `${name}.mjs`)

async function add(cordon: Cordon, server: string, ...options: string[]): Promise<void> {
  await cordon.ask(['mcp', 'add', server, ...options, '--', 'node', fixture(server)])
}

/** The ids of all processes whose command line contains this file. */
function processesOf(file: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(file)
      } catch {
        return false
      }
    })
}

test('add, launch, tools, call, logs, stop, disable, remove', async () => {
  await using cordon = openCordon()
  await add(cordon, 'echo')
  const state = await cordon.ask<ServerState>(['mcp', 'start', 'echo'])
  assert.equal(state.badge, 'connected')
  assert.ok(state.memoryLayer)
  assert.match((await cordon.run(['mcp', 'tools', 'echo'])).stdout, /^echo +Returns the text$/m)

  const called = await cordon.run(['mcp', 'call', 'echo.echo', '{"text":"hello"}'])
  assert.deepEqual([called.code, called.stdout], [0, 'hello\n'])
  const unfit = await cordon.run(['mcp', 'call', 'echo.echo', '{"text":7}'])
  assert.equal(unfit.code, 3)
  assert.match(unfit.stdout, /refused: .*argument/i)
  const bad = await cordon.run(['mcp', 'call', 'echo.echo', 'nonsense'])
  assert.deepEqual([bad.code, bad.stdout], [2, ''])

  assert.match((await cordon.run(['mcp', 'logs', 'echo'])).stdout, /echo is ready/)
  const stopped = await cordon.ask<ServerState>(['mcp', 'stop', 'echo'])
  assert.equal(stopped.badge, 'idle')
  assert.equal(stopped.tools, 6)
  assert.deepEqual(processesOf(fixture('echo')), [])

  const again = await cordon.ask<{ kind: string }>(['mcp', 'call', 'echo.echo', '{"text":"x"}'])
  assert.equal(again.kind, 'ok')
  await cordon.ask(['mcp', 'disable', 'echo'])
  assert.match((await cordon.run(['mcp', 'list'])).stdout, /^echo +Disabled/m)
  const refused = await cordon.run(['mcp', 'call', 'echo.echo', '{"text":"x"}'])
  assert.equal(refused.code, 5)
  assert.match(refused.stdout, /disabled/i)

  await cordon.ask(['mcp', 'remove', 'echo', '--yes'])
  assert.equal(existsSync(path.join(cordon.home, 'mcp', 'echo.toml')), false)
  writeFileSync(path.join(cordon.home, 'mcp', 'broken.toml'), 'name =')
  assert.equal((await cordon.run(['mcp', 'remove', 'broken', '--yes'])).code, 0)
  await add(cordon, 'echo')
  await cordon.ask(['mcp', 'start', 'echo'])
  await cordon.ask(['mcp', 'remove', 'echo', '--yes'])
  assert.deepEqual(processesOf(fixture('echo')), [])
  await cordon.ask(['down'])
})

test('tools that changed are shown whole and accepted by hash; an emptied cache lifts no quarantine', async () => {
  await using cordon = openCordon()
  const folder = path.join(path.dirname(cordon.home), 'rug')
  const file = path.join(folder, 'rug-puller.mjs')
  const source = readFileSync(fixture('rug-puller'), 'utf8')
  mkdirSync(folder)
  writeFileSync(file, source)
  await cordon.ask(['mcp', 'add', 'rug', '--start', 'lazy', '--', 'node', file])
  await cordon.ask(['mcp', 'start', 'rug'])
  await cordon.ask(['down'])

  rmSync(path.join(cordon.home, 'cache'), { recursive: true })
  writeFileSync(file, source.replace("process.argv[2] === 'changed'", 'true'))
  const state = await cordon.ask<ServerState>(['mcp', 'start', 'rug'])
  assert.equal(state.quarantined, 2)
  const shown = await cordon.run(['mcp', 'accept', 'rug', 'search'])
  assert.equal(shown.code, 2)
  assert.match(
    shown.stderr,
    /- "description": "Searches"\n.*\+ "description": "Searches\. First read/s,
  )
  const [, hash = ''] = /^search changed \((\w{64})\)$/m.exec(shown.stderr) ?? []
  const accepted = await cordon.run(['mcp', 'accept', 'rug', '--hash', hash])
  assert.equal(accepted.code, 0)
  assert.match(accepted.stdout, /^search +Searches\. First[^]*^upload +changed, not accepted/m)
  const twice = await cordon.run(['mcp', 'accept', 'rug', '--hash', hash])
  assert.match(twice.stderr, /^cordon: error: Cannot accept "\w{64}"/m)
  await cordon.ask(['down'])
})

test('a server that fails is reported in one sentence with its last output', async () => {
  await using cordon = openCordon()
  await cordon.ask(['mcp', 'add', 'missing', '--start', 'lazy', '--', '/no/such/program'])
  const missing = await cordon.run(['mcp', 'start', 'missing'])
  assert.equal(missing.code, 5)
  assert.match(missing.stderr, /^cordon: error: Cannot find the program "\/no\/such\/program"\n/)
  assert.match(missing.stderr, /\ncordon: hint: /)
  await cordon.ask(['mcp', 'add', 'dies', '--start', 'lazy', '--', 'node', '--eval', 'boom'])
  const dies = await cordon.run(['mcp', 'start', 'dies'])
  assert.equal(dies.code, 5)
  assert.match(dies.stderr, /exited with code 1.*boom is not defined/)
  await add(cordon, 'echo')
  assert.equal((await cordon.ask<ServerState>(['mcp', 'start', 'echo'])).badge, 'connected')
})

test('a server is lent its secret, and nothing it says shows it', async () => {
  await using cordon = openCordon()
  const canary = 'canary-value-that-nobody-should-see'
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  await cordon.ask(['vault', 'set', 'token'], { stdin: canary })
  await add(cordon, 'exfiltrator', '--secret', 'TOKEN=vault:token')
  const said = await Promise.all([
    cordon.run(['mcp', 'call', 'exfiltrator.answer']),
    cordon.run(['mcp', 'call', 'exfiltrator.structured', '--json']),
    cordon.run(['mcp', 'call', 'exfiltrator.error']),
    cordon.run(['mcp', 'tools', 'exfiltrator', '--json']),
    cordon.run(['mcp', 'logs', 'exfiltrator']),
    cordon.run(['audit', 'export']),
  ])
  for (const { stdout, stderr } of said) assert.ok(!(stdout + stderr).includes(canary))
  assert.match(said[0]?.stdout ?? '', /"TOKEN":"\[redacted\]"/)
})

// Regression 6
test('SANDBOX-5: kill -9 of the kernel leaves no server behind', async () => {
  await using cordon = openCordon()
  await add(cordon, 'echo')
  await cordon.ask(['mcp', 'start', 'echo'])
  const { pid } = await cordon.ask<KernelStatus>(['status'])
  assert.ok(processesOf(fixture('echo')).length > 0)
  process.kill(pid, 'SIGKILL')
  await until(() => processesOf(fixture('echo')).length === 0)
  const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  assert.equal(servers[0]?.state.tools, 6)
})
