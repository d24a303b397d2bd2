/** A Cordon that dies while bubblewrap starts leaves a process behind without the warden, and none with it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findTools } from '../../src/sandbox/launch/host-tools.ts'
import { processesWith, until } from '../../src/sandbox/test-sandbox.ts'
import { sandboxUser } from '../../src/sandbox/launch/unprivileged-user.ts'

const { bubblewrap, perl } = findTools()

/**
 * The race after a kill of Cordon: the read end of bubblewrap's info pipe is closed, so its first process dies of
 * SIGPIPE and its second, already forked, does not.
 */
function interrupted(mark: string): readonly string[] {
  const unread =
    'pipe my $end, my $report; close $end; exec map { s/REPORT/fileno $report/er } @ARGV'
  const namespaces = ['--unshare-user', '--unshare-pid', '--unshare-net', '--die-with-parent']
  const rest = ['--info-fd', 'REPORT', '--ro-bind', '/', '/', '--', 'sleep', mark]
  return [perl, '-e', `$^F = 99; ${unread}`, bubblewrap, ...namespaces, ...rest]
}

test('bubblewrap that is killed at the wrong moment leaves a process that waits for ever', async () => {
  const mark = `60.1${process.pid}`
  const [command = '', ...args] = interrupted(mark)
  const child = spawn(command, args, { stdio: 'ignore', ...sandboxUser() })
  await until(() => child.signalCode === 'SIGPIPE')
  const left = processesWith(mark)
  for (const pid of left) process.kill(pid, 'SIGKILL')
  assert.equal(left.length, 1)
})

test('a Cordon that is killed at that moment leaves nothing, because of the warden', async () => {
  const mark = `60.2${process.pid}`
  await killOnceReady('warden.child.ts', interrupted(mark))
  await until(() => processesWith(mark).length === 0)
})

test('a server without a sandbox ends with a Cordon that is killed, too', async () => {
  const mark = `60.5${process.pid}`
  await killOnceReady('bare.child.ts', ['/nonexistent', '-c', `sleep ${mark} & sleep ${mark}`])
  await until(() => processesWith(mark).length === 0)
})

async function killOnceReady(program: string, args: readonly string[]): Promise<void> {
  const words = [fileURLToPath(new URL(program, import.meta.url)), ...args]
  const cordon = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(cordon.stdout, 'data')
  cordon.kill('SIGKILL')
}
