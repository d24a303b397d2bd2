import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processLimit, resourceLimits } from './limits.ts'

const MB = 2 ** 20
const [DATA, NPROC] = [2, 6]

test('resourceLimits() bounds what a user has in common, and gives no right to real-time classes', () => {
  const limits = resourceLimits(128 * MB, 'cgroup2')
  assert.deepEqual(
    [...limits].sort(([a], [b]) => a - b),
    [
      [1, 2048 * MB], // RLIMIT_FSIZE
      [4, 1], // RLIMIT_CORE
      [7, 1024], // RLIMIT_NOFILE
      [8, 65_536], // RLIMIT_MEMLOCK
      [11, 1024], // RLIMIT_SIGPENDING
      [12, 65_536], // RLIMIT_MSGQUEUE
      [13, 0], // RLIMIT_NICE
      [14, 0], // RLIMIT_RTPRIO
    ],
  )
  assert.deepEqual([...processLimit({})], [[NPROC, 128]])
  assert.deepEqual([...processLimit({ startsBrowser: true })], [[NPROC, 768]])
})

test('resourceLimits() limits the data of a process only where no cgroup limits its memory', () => {
  assert.equal(resourceLimits(128 * MB, 'cgroup1').has(DATA), false)
  assert.equal(resourceLimits(128 * MB, 'rlimit+watchdog').get(DATA), 768 * MB)
})
