/** Process groups that the warden kills when its pipe breaks, as it does when Cordon is killed. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { test } from 'node:test'
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
