import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { lookAtTree } from './tree-memory.ts'

const HELD = 64 * 2 ** 20
const isArm = process.arch === 'arm64'
const [CLONE, EXIT, MMAP, MADVISE, READ, PRCTL] = isArm
  ? [220, 93, 222, 233, 63, 167]
  : [56, 60, 9, 28, 0, 157]

/** Its child, in huge pages so that forking is fast, forks and ends until there is nobody to write to. */
const HOPPER = `$| = 1; $SIG{PIPE} = 'DEFAULT'; syscall(${PRCTL}, 36, 1, 0, 0, 0); $SIG{CHLD} = 'IGNORE';
  my $k = fork; if ($k) { sleep 60 while 1 }
  my $at = syscall(${MMAP}, 0, ${HELD}, 3, 0x22, -1, 0); syscall(${MADVISE}, $at, ${HELD}, 14);
  open my $zero, '<', '/dev/zero'; syscall(${READ}, fileno $zero, $at, ${HELD});
  while (1) { syswrite STDOUT, 'x'; for (1 .. 50) { syscall(${CLONE}, 17, 0, 0, 0, 0) and syscall(${EXIT}, 0) } }`

test('SANDBOX-6: a process that forks and ends without pause is seen, or the look says that it saw not all', async (t) => {
  const child = spawn('perl', ['-e', HOPPER], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(() => {
    child.kill('SIGKILL')
    child.stdout.destroy() // and the one that hops has nobody to write to
  })
  await once(child.stdout, 'data')
  for (let looks = 0; looks < 40; looks += 1) {
    const { bytes = 0, isWhole } = await lookAtTree(child.pid ?? 0)
    // A process that is just being born or buried may share its pages, and count for a part of them unseen.
    assert.ok(bytes >= HELD / 4 || !isWhole, `look ${looks} saw ${bytes} bytes`)
  }
})
