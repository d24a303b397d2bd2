/**
 * Starts the real kernel with real servers and kills it at random moments, as root and as an ordinary user.
 * `npm run bench -- leaks` does so 200 times.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findCgroupParent } from '../../src/sandbox/launch/cgroup.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import type { LeakReport } from './rounds.ts'
import { PLACES } from './traces.ts'

const program = fileURLToPath(new URL('leaks.child.ts', import.meta.url))
const kinds = process.getuid?.() === 0 ? ['root', 'user'] : ['user']
const ROUNDS = rounds(50, 4)

async function run(kind: string, rounds: number, seed: number): Promise<LeakReport> {
  const args = [program, kind, String(rounds), String(seed)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as LeakReport
}

for (const kind of kinds) {
  test(`SANDBOX-5: a Cordon of ${kind} that is killed at a random moment leaves nothing`, async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const report = await run(kind, ROUNDS, seed)
    const repeat = `to repeat: leaks.child.ts ${kind} ${ROUNDS} ${seed}`
    assert.deepEqual(report.processes, [], repeat)
    assert.deepEqual(report.traces, [], repeat)
    assert.ok(report.killedWithChildren > 0, repeat)
  })

  test(`what a Cordon of ${kind} might leave would be found`, async () => {
    const { processes, traces } = await run(kind, 0, 0)
    assert.equal(processes.length, 1)
    assert.match(processes[0] ?? '', /^sleep 61\.\d+$/)
    const known = traces.map((trace) => {
      return trace.replace(/:[0-9A-F]{4} /, ':PORT ').replace(/^cgroup .*/, 'cgroup')
    })
    const expected = [
      ...(findCgroupParent() ? ['cgroup'] : []),
      'file /dev/shm/mounted',
      ...PLACES.map((place) => `file ${place}/left-behind`),
      'mount / on /dev/shm/mounted',
      'socket /dev/shm/left.sock', // as a file
      'socket /dev/shm/left.sock', // as a socket
      'socket 0100007F:PORT 00000000:0000',
    ]
    assert.deepEqual(known.toSorted(), expected.toSorted())
  })
}
