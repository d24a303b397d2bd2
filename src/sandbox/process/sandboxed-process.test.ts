import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findCgroupParent, openHolder } from '../launch/cgroup.ts'
import { pinByName } from '../../kernel/test-pin-path.ts'
import { openSandbox } from '../open-sandbox.ts'
import { commandLines, listen, MB, openTestSandbox, until } from '../test-sandbox.ts'

const { folder, launch } = await openTestSandbox()

test('stop() lets a server end by itself when its stdin closes', async () => {
  const running = await launch('sh', ['-c', 'cat; exit 5'])
  assert.deepEqual(await running.stop(), { kind: 'exited', code: 5 })
  assert.deepEqual(await running.stop(), { kind: 'exited', code: 5 })
})

test('stop() asks with SIGTERM, and then no longer asks', async () => {
  const polite = await launch('sh', [
    '-c',
    'trap "exit 9" TERM; echo up; while :; do sleep 0.05; done',
  ])
  const heard = listen(polite)
  await until(() => heard.text === 'up\n')
  assert.deepEqual(await polite.stop(), { kind: 'exited', code: 9 })
  const stubborn = await launch('sh', ['-c', 'trap "" TERM; echo up; while :; do sleep 0.05; done'])
  const also = listen(stubborn)
  await until(() => also.text === 'up\n')
  assert.deepEqual(await stubborn.stop(), { kind: 'signalled', signal: 'SIGKILL' })
})

test('stop() leaves nothing of the tree, however far it has detached', async () => {
  const running = await launch('sh', [
    '-c',
    'setsid sleep 31536002 & setsid sh -c "sleep 31536003 &"; cat',
  ])
  await until(() => commandLines().includes('31536003'))
  await running.stop()
  assert.doesNotMatch(commandLines(), /3153600[23]/)
})

test('SANDBOX-6: a server that takes more memory than it may ends as memory, whichever way it takes it', async () => {
  const settings = { memoryLimitBytes: 128 * MB }
  const bombs = [
    'const held = []; for (;;) held.push(new Array(1e5).fill(0).map(Math.random))',
    'const held = []; setInterval(() => held.push(Buffer.alloc(2e7, 1)), 5)',
  ]
  for (const bomb of bombs) {
    const running = await launch('node', ['-e', bomb], { settings })
    listen(running)
    assert.deepEqual(await running.ended, { kind: 'memory' })
  }
})

test('memoryBytes() counts the whole tree', async () => {
  const running = await launch('sh', [
    '-c',
    'node -e "held = Buffer.alloc(4e7, 1); setInterval(() => {}, 9e5)" & cat',
  ])
  // It was started by the shell that is our child, and `cat`, which that became, has next to nothing.
  await until(async () => ((await running.memoryBytes()) ?? 0) >= 40 * MB)
  await running.stop()
  assert.equal((await running.memoryBytes()) ?? 0, 0)
})

const parent = findCgroupParent()
const groups = (): readonly string[] =>
  readdirSync(parent?.folder ?? '').filter((name) => name.startsWith(`cordon-${process.pid}-`))

test('every cgroup is gone with its process, and a killed Cordon’s is swept', {
  skip: !parent,
}, async () => {
  const running = await launch('cat', [])
  assert.equal(running.memoryLayer, parent?.layer)
  assert.equal(groups().length, 1)
  await running.stop()
  assert.deepEqual(groups(), [])
  const dead = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim()
  const stale = path.join(parent?.folder ?? '', `cordon-${dead}-abcdef`)
  mkdirSync(stale)
  await using again = await openSandbox({
    nodePath: process.execPath,
    cordonHome: folder,
    userHome: folder,
    pinPath: pinByName,
  })
  assert.ok(again)
  assert.throws(() => readdirSync(stale))
})

test('openHolder() leaves no half-made cgroup, and does not mind a process that has just ended', {
  skip: !parent,
}, async () => {
  const refused = await openHolder(parent, Number.NaN).hold([process.pid])
  assert.equal(refused.memoryLayer, 'rlimit+watchdog')
  await until(() => groups().length === 0)
  const dead = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim()
  const late = await openHolder(parent, MB).hold([Number(dead)])
  assert.equal(late.memoryLayer, parent?.layer)
  await late.cgroup?.remove()
})

test('a process that joined early is held together with its children', {
  skip: !parent,
}, async () => {
  const holder = openHolder(parent, 64 * MB)
  const shell = spawn('sh', ['-c', 'read line; cat & cat'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const pid = shell.pid ?? assert.fail()
  holder.join(pid)
  const { cgroup } = await holder.hold([pid])
  shell.stdin.write('go\n')
  const [group = ''] = groups()
  const inside = () => readFileSync(path.join(parent?.folder ?? '', group, 'cgroup.procs'), 'utf8')
  await until(() => inside().trim().split('\n').length >= 2)
  assert.ok(inside().split('\n').includes(String(pid)))
  shell.kill('SIGKILL')
  await cgroup?.remove()
})

test('a launch that fails leaves no cgroup', { skip: !parent }, async () => {
  const holder = openHolder(parent, 64 * MB)
  assert.equal(groups().length, 1)
  holder.discard()
  await until(() => groups().length === 0)
})

test('a connection that is reset while nobody takes it yet ends nothing else', async () => {
  const reset = `const { hostname, port } = new URL(process.env.HTTPS_PROXY)
    const socket = require('node:net').connect(port, hostname)
    socket.on('connect', () => setTimeout(() => socket.resetAndDestroy(), 50))`
  const running = await launch('node', ['-e', reset], { networked: true })
  assert.deepEqual(await running.ended, { kind: 'exited', code: 0 })
  await delay(50) // an unhandled error would be reported here
})
