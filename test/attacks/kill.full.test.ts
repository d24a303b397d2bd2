/** Kills the real kernel, again and again, in the middle of vault writes, definition writes and audit appends. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Api, Output } from '../../src/api/contract.ts'
import type { KernelStatus } from '../../src/api/kernel.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { type Cordon, openCordon } from '../fixtures/cordon.ts'
import { apiOf } from '../fixtures/owner-elsewhere.ts'

const ROUNDS = rounds(50, 2)
/** Writes that each kernel must acknowledge before it is killed, however slow the machine is. */
const WRITES_A_ROUND = 30
const NAMES = Array.from({ length: 20 }, (_, number) => `secret-${number}`)

interface Acknowledged {
  readonly secrets: Set<string>
  imports: number
  writes: number
}

/** Resolves at a random moment after enough writes were acknowledged, while the writing still goes on. */
async function untilBusy(done: Acknowledged): Promise<void> {
  const writes = done.writes + WRITES_A_ROUND
  const imports = done.imports + 1
  while (done.writes < writes || done.imports < imports) await pause(5)
  await pause(Math.random() * 700)
}

/** Writes as fast as the kernel answers, until it is gone. */
async function hammer(api: Api, source: string, done: Acknowledged): Promise<void> {
  const setSecrets = async (offset: number) => {
    for (let turn = offset; ; turn += 4) {
      const name = NAMES[turn % NAMES.length] ?? ''
      await api.call('vault.set', { name, value: `value-of-turn-${turn}` })
      done.secrets.add(name)
      done.writes += 1
    }
  }
  const migrate = async () => {
    for (;;) {
      const request = { path: source, dryRun: false, backup: false, replace: true }
      await api.call('mcp.migrate', request)
      done.imports += 1
      await api.call('mcp.undo', {})
    }
  }
  await Promise.allSettled([...[0, 1, 2, 3].map(setSecrets), migrate()])
}

async function assertWhole(cordon: Cordon, done: Acknowledged): Promise<void> {
  const { secrets } = await cordon.ask<Output<'vault.list'>>(['vault', 'list'])
  assert.deepEqual(
    secrets.filter(({ damaged }) => damaged),
    [],
  )
  const names = new Set(secrets.map(({ name }) => name))
  assert.deepEqual(
    [...done.secrets].filter((name) => !names.has(name)),
    [],
  )
  const list = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  assert.deepEqual(list.problems, [])
  const report = await cordon.ask<Output<'audit.verify'>>(['audit', 'verify'])
  assert.equal(report.ok, true, JSON.stringify(report))
  assert.ok(report.records > done.writes)
}

test('a kernel killed while it writes loses nothing it acknowledged, and leaves nothing half done', async () => {
  await using cordon = openCordon()
  const source = path.join(path.dirname(cordon.home), 'mcp.json')
  const server = { command: 'npx', args: ['-y', 'some-server'], env: { LEVEL: 'info' } }
  writeFileSync(source, JSON.stringify({ mcpServers: { one: server, two: server } }))
  const done: Acknowledged = { secrets: new Set(), imports: 0, writes: 0 }
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  for (let round = 0; round < ROUNDS; round++) {
    const { pid } = await cordon.ask<KernelStatus>(['up', '--detach'])
    const hammering = hammer(await apiOf(cordon), source, done)
    await Promise.race([untilBusy(done), hammering])
    process.kill(pid, 'SIGKILL')
    await hammering
    await assertWhole(cordon, done)
  }
})
