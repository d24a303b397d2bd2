/** A machine whose clock of the day is set again and again: the kernel is the real one, only its `Date` jumps. */
import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findSocketApi } from '../../src/api/client.ts'
import { processesWith } from '../../src/sandbox/test-sandbox.ts'
import { openCordon } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'

const servers = fileURLToPath(new URL('../fixtures/servers/', import.meta.url))
const clock = fileURLToPath(new URL('../fixtures/jumping-clock.mjs', import.meta.url))
const CALLS = 60
const BETWEEN_MS = 50
/** Longer than one state of the clock. */
const SLOW_MS = 900
const SLOW_CALLS = 4

function define(home: string, name: string, script: string): void {
  mkdirSync(path.join(home, 'mcp'), { recursive: true, mode: 0o700 })
  const server = ['[server]', 'command = "node"', `args = ["${script}"]`]
  const tool = name === 'slow' ? 'sleep' : 'echo'
  const lines = [...server, `[tools.${tool}]`, 'semantics = "read"', '']
  writeFileSync(path.join(home, 'mcp', `${name}.toml`), lines.join('\n'), { mode: 0o600 })
}

test('SANDBOX-5: while the clock jumps every call is answered, and nothing is left after the end', async () => {
  await using cordon = openCordon()
  const folder = mkdtempSync('/var/tmp/cordon-clock-')
  chmodSync(folder, 0o755) // the server is not root, even where Cordon is
  try {
    for (const name of ['echo', 'slow']) {
      cpSync(path.join(servers, `${name}.mjs`), path.join(folder, `${name}.mjs`))
      define(cordon.home, name, path.join(folder, `${name}.mjs`))
    }
    const NODE_OPTIONS = `--import=${clock}`
    const kernel = cordon.start(['up', '--no-chat'], { environment: { NODE_OPTIONS } })
    const socket = path.join(cordon.home, 'run', 'cordon.sock')
    const found = () => findSocketApi(socket).catch(() => undefined)
    await until(async () => (await found()) !== undefined)
    const api = (await found()) ?? assert.fail()
    const slow = Array.from({ length: SLOW_CALLS }, () =>
      api.call('mcp.call', { server: 'slow', tool: 'sleep', args: { ms: SLOW_MS } }),
    )
    for (let call = 0; call < CALLS; call += 1) {
      const args = { text: `call ${call}` }
      const result = await api.call('mcp.call', { server: 'echo', tool: 'echo', args })
      assert.equal(result.kind, 'ok', JSON.stringify(result))
      await delay(BETWEEN_MS)
    }
    for (const result of await Promise.all(slow))
      assert.equal(result.kind, 'ok', JSON.stringify(result))
    const { records } = await api.call('audit.read', { limit: 10_000 })
    const months = new Set(records.map(({ at }) => at.slice(0, 7)))
    assert.ok(months.size > 1, 'the clock did not jump')
    assert.equal((await api.call('audit.verify', {})).ok, true)
    kernel.kill('SIGTERM')
    await until(() => kernel.exitCode !== null || kernel.signalCode !== null)
    assert.equal(kernel.exitCode, 0)
    assert.deepEqual(processesWith(folder), [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
