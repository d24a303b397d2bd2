/**
 * One small process per Cordon that outlives it by a moment, to kill the process groups that a killed Cordon left.
 *
 * A running sandbox ends with Cordon by itself (`--die-with-parent`). A sandbox that bubblewrap is still making may
 * not: its second process waits for the first before it is bound to it, and if the first dies in that moment, the
 * second waits for ever. And a server without a sandbox is not bound to Cordon at all. So the warden is told every
 * process group before that group gets any input; when its pipe breaks, Cordon is gone, and the warden kills every
 * known group.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { findTools } from '../launch/host-tools.ts'

export interface Warden extends Disposable {
  /** From now on the process group of `leader` ends with Cordon, until the leader itself has ended. */
  watch(leader: ChildProcess): void
}

const PROGRAM = `
my %groups;
while (<STDIN>) {
  $groups{$1} = 1 if /^\\+(\\d+)$/;
  delete $groups{$1} if /^-(\\d+)$/;
}
kill 'KILL', -$_ for keys %groups;
`

/** The warden's process starts with the first `watch`. */
export function createWarden(): Warden {
  let process: ChildProcess | undefined
  const tell = (line: string): void => {
    process ??= start()
    process.stdin?.write(line)
  }
  return {
    watch(leader) {
      if (leader.pid === undefined) return
      tell(`+${leader.pid}\n`)
      leader.once('exit', () => tell(`-${leader.pid}\n`))
    },
    [Symbol.dispose]: () => void process?.stdin?.end(),
  }
}

/** In a session of its own, so a terminal's Ctrl-C does not reach it. Cordon does not wait for it to end. */
function start(): ChildProcess {
  const child = spawn(findTools().perl, ['-e', PROGRAM], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => undefined) // the start that follows needs Perl as well, and reports that
  child.stdin.on('error', () => undefined)
  child.unref()
  const stdin = child.stdin as unknown as { unref(): void }
  stdin.unref()
  return child
}
