/** The kernel's life, seen from a terminal: start, background, port, kill. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import type { KernelStatus } from '../../src/api/kernel.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { finish, openCordon, seen } from '../fixtures/cordon.ts'
import { openPostgres } from '../fixtures/postgres.ts'

test('cordon up prints where the page is, serves its shell, and leaves nothing behind on Ctrl-C', async () => {
  await using cordon = openCordon()
  const kernel = cordon.start(['up'])
  kernel.stdin?.end()
  const ended = finish(kernel)
  const greeting = await seen(kernel.stdout, /process .*\n/)
  const page = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0]
  assert.ok(page, greeting)
  const response = await fetch(page)
  assert.equal(response.status, 200)
  assert.match(await response.text(), /<title>Cordon<\/title>/)

  kernel.kill('SIGINT')
  const { code, stderr } = await ended
  assert.equal(code, 0, stderr)
  assert.equal(existsSync(path.join(cordon.home, 'run', 'cordon.sock')), false)
  await assert.rejects(fetch(page))
})

test('a command finds no kernel, starts one in the background, and down ends it', async () => {
  await using cordon = openCordon()
  assert.deepEqual(await cordon.ask(['vault', 'list']), { secrets: [] })
  const status = await cordon.ask<KernelStatus>(['status'])
  assert.equal(status.home, cordon.home)
  assert.equal(status.vault.state, 'absent')
  const { pid } = await cordon.ask<{ pid: number }>(['down'])
  assert.equal(pid, status.pid)
  assert.deepEqual(readdirSync(path.join(cordon.home, 'run')), ['writer.lock'])
  const { code, stderr } = await cordon.run(['status'])
  assert.equal(code, 5)
  assert.equal(
    stderr,
    'cordon: error: Cannot show the status: Cordon is not running\ncordon: hint: Run `cordon up`\n',
  )
})

test('many commands at once on a new home share one kernel', async () => {
  await using cordon = openCordon()
  const asked = Array.from({ length: rounds(10, 4) }, () =>
    cordon.run(['vault', 'status', '--json']),
  )
  for (const { code, stdout, stderr } of await Promise.all(asked))
    assert.equal(code, 0, stdout + stderr)
  await cordon.ask(['down'])
})

test('--no-daemon does the work in this process and leaves nothing running', async () => {
  await using cordon = openCordon()
  assert.deepEqual(await cordon.ask(['vault', 'list', '--no-daemon']), { secrets: [] })
  assert.equal((await cordon.run(['status'])).code, 5)
})

test('--no-daemon is refused while a kernel holds the home, and says which', async () => {
  await using cordon = openCordon()
  const { pid } = await cordon.ask<KernelStatus>(['up', '--detach'])
  const { code, stderr } = await cordon.run(['vault', 'list', '--no-daemon'])
  assert.equal(code, 4)
  assert.match(stderr, new RegExp(String(pid)))
})

test('a taken port gives way to the next free one', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve)
  })
  const { port } = other.address() as AddressInfo
  await using cordon = openCordon()
  const environment = { CORDON_PORT: String(port) }
  const status = await cordon.ask<KernelStatus>(['up', '--detach'], { environment })
  other.close()
  assert.notEqual(status.page, `http://127.0.0.1:${port}`)
  const notice = `Port ${port} is taken, so the page is at ${status.page}`
  assert.deepEqual(status.notices, [notice])
  assert.ok((await cordon.run(['status'])).stdout.includes(`warning: ${notice}`))
  assert.equal((await fetch(status.page ?? '')).status, 200)
})

test('a kernel that was killed leaves a home that opens again', async () => {
  await using cordon = openCordon()
  const { pid } = await cordon.ask<KernelStatus>(['up', '--detach'])
  process.kill(pid, 'SIGKILL')
  const again = await cordon.ask<KernelStatus>(['up', '--detach'])
  assert.notEqual(again.pid, pid)
  assert.equal((await cordon.ask<{ ok: boolean }>(['audit', 'verify'])).ok, true)
})

test('CODE-1: the process that holds secrets cannot turn text into code', async () => {
  await using cordon = openCordon()
  const { pid } = await cordon.ask<KernelStatus>(['up', '--detach'])
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  assert.ok(words.includes('--disallow-code-generation-from-strings'), words.join(' '))
  // A kernel that starts in the background has a list of its own; it must be that of the launcher.
  const launcher = readFileSync(new URL('../../bin/kernel-flags.cjs', import.meta.url), 'utf8')
  const flags = [...launcher.matchAll(/'(--[^']+)'/g)].map(([, flag]) => flag)
  assert.ok(flags.length > 4)
  assert.deepEqual(words.slice(1, 1 + flags.length), flags)
})

test('with DATABASE_URL the state lives in PostgreSQL, and no SQLite file is made', async () => {
  await using database = await openPostgres()
  await using cordon = openCordon()
  const environment = { DATABASE_URL: database.url }
  const status = await cordon.ask<KernelStatus>(['up', '--detach'], { environment })
  assert.equal(status.store, 'postgresql')
  assert.deepEqual(await cordon.ask(['mcp', 'list']), { servers: [], problems: [] })
  assert.equal(existsSync(path.join(cordon.home, 'state.db')), false)
  await cordon.ask(['down'])
})
