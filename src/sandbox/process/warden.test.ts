/** Process groups that the warden kills when its pipe breaks, as it does when Cordon is killed. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { processesWith, until } from '../test-sandbox.ts'
import { createWarden } from './warden.ts'

function start(script: string): ChildProcess {
  return spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
}

test('the warden ends every group it was told of, but for one whose leader has ended', async () => {
  const marks = [`60.3${process.pid}`, `60.4${process.pid}`]
  const warden = createWarden()
  const [ended, running] = marks.map((mark) => start(`sleep ${mark} & read line`))
  assert.ok(ended && running)
  for (const child of [ended, running]) warden.watch(child)
  const sleepers = (): readonly number[] => marks.flatMap((mark) => processesWith(`sleep ${mark}`))
  await until(() => sleepers().length >= 2)
  ended.kill('SIGKILL')
  await until(() => ended.signalCode === 'SIGKILL')
  warden[Symbol.dispose]()
  await until(() => running.signalCode === 'SIGKILL')
  const [kept, gone] = marks.map((mark) => processesWith(`sleep ${mark}`))
  for (const pid of kept ?? []) process.kill(pid, 'SIGKILL')
  assert.equal(kept?.length, 1)
  assert.deepEqual(gone, [])
})

test('SANDBOX-5: a first process that lives on after Cordon is ended by the warden, and one that was forgotten is not', async () => {
  const warden = createWarden()
  const [held, forgotten] = [start('sleep 60'), start('sleep 60')]
  for (const child of [held, forgotten]) warden.hold(child.pid ?? assert.fail())
  warden.forget(forgotten.pid ?? assert.fail())
  warden[Symbol.dispose]()
  await until(() => held.signalCode === 'SIGKILL')
  assert.equal(forgotten.signalCode, null)
  forgotten.kill('SIGKILL')
})

test('a warden that was killed is replaced, and its successor knows what it knew', async () => {
  const mark = `60.5${process.pid}`
  const before = new Set(wardens())
  const warden = createWarden()
  const running = start(`sleep ${mark} & read line`)
  warden.watch(running)
  const own = (): readonly number[] => wardens().filter((pid) => !before.has(pid))
  await until(() => own().length === 1 && processesWith(`sleep ${mark}`).length > 0)
  const [first = 0] = own()
  await delay(1_100) // a shorter life is taken for one that does not work here
  process.kill(first, 'SIGKILL')
  await until(() => own().some((pid) => pid !== first))
  warden[Symbol.dispose]()
  await until(() => running.signalCode === 'SIGKILL')
  await until(() => processesWith(`sleep ${mark}`).length === 0)
})

test('a warden that is stopped lets no start wait for ever, and is replaced', async () => {
  const before = new Set(wardens())
  const warden = createWarden(300)
  const running = start('sleep 60')
  const pid = running.pid ?? assert.fail()
  const own = (): readonly number[] => wardens().filter((one) => !before.has(one))
  const enter = () => warden.enter(pid, new Map())
  const answer = /cannot enter the sandbox: user namespace/ // it is in none
  await assert.rejects(enter(), answer)
  const [first = 0] = own()
  process.kill(first, 'SIGSTOP')
  await assert.rejects(enter(), /the warden does not answer/)
  await until(() =>
    enter().then(
      () => false,
      (error: unknown) => answer.test(String(error)),
    ),
  )
  assert.ok(!own().includes(first))
  warden[Symbol.dispose]()
  running.kill('SIGKILL')
})

function wardens(): readonly number[] {
  return processesWith('my (%groups, %held)').filter((pid) => parentOf(pid) === process.pid)
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}
