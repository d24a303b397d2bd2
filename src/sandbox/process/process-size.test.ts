import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { processSize, processSizeNow } from './process-size.ts'
import { childrenOf } from './process-tree.ts'

const MB = 2 ** 20
const EXIT = process.arch === 'arm64' ? 93 : 60

async function start(program: string) {
  const child = spawn('perl', ['-e', `$| = 1; ${program}`], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return child
}

test('SANDBOX-6: the memory of a process whose first thread has ended is counted', async () => {
  const child = await start(
    `use threads; threads->create(sub { my $n = ${50 * MB}; my $held = 'x' x $n; print 1; sleep 60 })->detach;
     syscall(${EXIT}, 0)`,
  )
  const pid = child.pid ?? 0
  await delay(50)
  for (const size of [await processSize(pid), processSizeNow(pid)]) {
    assert.ok(size && size.own >= 50 * MB, JSON.stringify(size))
    assert.ok(size.areas > 10 && size.descriptors >= 3)
  }
  child.kill('SIGKILL')
})

test('a process that has ended and waits for its parent holds nothing, and one that is gone is unknown', async () => {
  const child = await start('my $k = fork; exit unless $k; print $k; sleep 60')
  const zombie = childrenOf(child.pid ?? 0)[0] ?? assert.fail()
  await delay(50)
  for (const size of [await processSize(zombie), processSizeNow(zombie)]) {
    assert.deepEqual([size?.own, size?.descriptors], [0, 0])
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(await processSize(child.pid ?? 0), undefined)
  assert.equal(processSizeNow(child.pid ?? 0), undefined)
})
