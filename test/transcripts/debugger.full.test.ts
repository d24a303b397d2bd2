/** The kernel opens no debugger, however it is started: a debugger can run code in the process with the secrets. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { KernelStatus } from '../../src/api/kernel.ts'
import { type Cordon, environmentFor, finish, openCordon, root, seen } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'

/** Asks for a debugger on any free port: a kernel that obeyed would listen on one more port. */
const environment = { NODE_OPTIONS: '--inspect=0' }

const WAYS: Readonly<Record<string, (cordon: Cordon) => unknown>> = {
  'in the background': (cordon) => cordon.run(['up', '--detach'], { environment }),
  'by the launcher': (cordon) => cordon.start(['up'], { environment, node: process.execPath }),
  'by npm start': ({ home }) =>
    spawn(process.execPath, [path.join(root, 'scripts', 'start.cjs')], {
      env: environmentFor(home, environment),
      stdio: 'ignore',
    }),
}

for (const [way, start] of Object.entries(WAYS)) {
  test(`CODE-1: a kernel that is started ${way} opens no debugger, by a signal or by its environment`, async () => {
    await using cordon = openCordon()
    await start(cordon)
    const before = await statusOf(cordon)
    const { port } = new URL(before.page ?? '')
    assert.deepEqual(listening(before.pid), [Number(port)], 'nothing but its page')
    const words = readFileSync(`/proc/${before.pid}/cmdline`, 'utf8').split('\0')
    assert.ok(words.includes('--disable-sigusr1'), 'from before its first line on')
    process.kill(before.pid, 'SIGUSR1')
    const after = await statusOf(cordon)
    assert.equal(after.pid, before.pid, 'it lives on')
    assert.deepEqual(
      listening(before.pid),
      [Number(port)],
      'nothing but its page, also after the signal',
    )
  })
}

test('a command that may hold a secret on its way in opens no debugger when it is signalled', async () => {
  await using cordon = openCordon()
  const command = cordon.start(['chat'])
  const { pid = 0 } = command
  await seen(command.stdout, /./)
  command.kill('SIGUSR1')
  assert.equal((await cordon.run(['status'])).code, 0)
  assert.deepEqual(listening(pid), [])
  command.stdin?.end()
  assert.equal((await finish(command)).code, 0)
})

async function statusOf(cordon: Cordon): Promise<KernelStatus> {
  let status: KernelStatus | undefined
  await until(async () => {
    status = await cordon.ask<KernelStatus>(['status']).catch(() => undefined)
    return status !== undefined
  })
  return status as KernelStatus
}

/** The TCP ports on which a process listens, found by the sockets it holds. */
function listening(pid: number): readonly number[] {
  const held = new Set(readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(pid, name)))
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1),
  )
  const ports = rows
    .map((row) => row.trim().split(/\s+/))
    .filter((cells) => cells[3] === LISTEN && held.has(`socket:[${cells[9]}]`))
    .map((cells) => Number.parseInt(cells[1]?.split(':')[1] ?? '', 16))
  return [...new Set(ports)]
}

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A'

function targetOf(pid: number, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
  } catch {
    return '' // the descriptor was closed meanwhile
  }
}
