/**
 * One small process per Cordon that outlives it by a moment, to end what Cordon, killed, could not.
 *
 * A running sandbox ends with Cordon by itself. One that bubblewrap is still making may not: its second process waits
 * for the first before it is tied to it, and a first one that dies in that moment leaves the second waiting for ever.
 * And a server without a sandbox is not tied to Cordon at all. So the warden is told every process group before that
 * group is given anything to do; when its pipe breaks, Cordon is gone, and it ends every group it still knows.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { findTools } from '../launch/host-tools.ts'

export interface Warden extends Disposable {
  /** From now on the group that this process leads ends with Cordon, until the process has ended. */
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

/** Starts nothing before there is something to watch. */
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

/** In a session of its own: what a terminal sends to Cordon's group is not for it. Nothing waits for it. */
function start(): ChildProcess {
  const child = spawn(findTools().perl, ['-e', PROGRAM], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => undefined) // what comes next needs Perl as well, and says so
  child.stdin.on('error', () => undefined)
  child.unref()
  const stdin = child.stdin as unknown as { unref(): void }
  stdin.unref()
  return child
}
