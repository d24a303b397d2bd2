/** The end of a sandbox whose first process lives on, whatever bubblewrap reports. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { until } from '../test-sandbox.ts'
import { namespaceTree } from './process-tree.ts'

test('SANDBOX-5: gone() ends a first process that outlives bubblewrap', async () => {
  const bubblewrap = spawn('true')
  await once(bubblewrap, 'exit')
  const first = spawn('sleep', ['60'], { detached: true })
  const forgotten: number[] = []
  const tree = namespaceTree(bubblewrap, first.pid ?? assert.fail(), {
    forget: (pid) => forgotten.push(pid),
  })
  const ended = once(first, 'exit')
  await tree.gone()
  assert.deepEqual((await ended)[1], 'SIGKILL')
  assert.deepEqual(forgotten, [first.pid])
})

test('SANDBOX-5: gone() ends a first process whose first thread has ended before the others', async () => {
  const bubblewrap = spawn('true')
  await once(bubblewrap, 'exit')
  const exit = process.arch === 'arm64' ? 93 : 60 // of one thread
  const script = `use threads; threads->create(sub { print "up"; sleep 60 }); syscall(${exit}, 0)`
  const first = spawn('perl', ['-e', `$| = 1; ${script}`], { detached: true })
  const pid = first.pid ?? assert.fail()
  const state = () => /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  await until(() => state() === 'Z')
  assert.equal(first.exitCode, null, 'it lives on')
  const forgotten: number[] = []
  const tree = namespaceTree(bubblewrap, pid, { forget: (one) => forgotten.push(one) })
  const ended = once(first, 'exit')
  await tree.gone()
  assert.deepEqual((await ended)[1], 'SIGKILL')
  assert.deepEqual(forgotten, [pid])
})
