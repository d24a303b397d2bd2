/**
 * One small process per Cordon that outlives it by a moment, to kill the processes that a killed Cordon left.
 *
 * A running sandbox ends with Cordon by itself (`--die-with-parent`), unless its first process was rewritten to ignore
 * that. A sandbox that bubblewrap is still making may not end either: its second process waits for the first before it
 * is bound to it, and if the first dies in that moment, the second waits for ever. And a server without a sandbox is not
 * bound to Cordon at all. So the warden is told every process group before that group gets any input, and holds the
 * first process of every sandbox by pidfd, which no other process ever gets; when its pipe breaks, Cordon is gone, and
 * the warden kills all it knows.
 *
 * It also enters parked sandboxes (`setns` in a fork of it, see `ENTER_PROGRAM`): that needs no other program to start.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { findTools } from '../launch/host-tools.ts'
import { ENTER_PROGRAM } from './enter-program.ts'

export interface Warden extends Disposable {
  /** From now on the process group of `leader` ends with Cordon, until the leader itself has ended. */
  watch(leader: ChildProcess): void
  /** From now on the first process of a sandbox ends with Cordon, until it is forgotten. */
  hold(initPid: number): void
  forget(initPid: number): void
  /** Makes the mounts of a parked sandbox private and limits its first process. Rejects if either fails or takes long. */
  enter(initPid: number, limits: ReadonlyMap<number, number>): Promise<void>
}

const PROGRAM = `
use strict;
my ($setns, $mount, $prlimit, $close) = @ARGV;
my (%groups, %held);
$SIG{CHLD} = 'IGNORE';
$| = 1;
${ENTER_PROGRAM}
while (<STDIN>) {
  $groups{$1} = 1 if /^\\+(\\d+)$/;
  delete $groups{$1} if /^-(\\d+)$/;
  $held{$1} = syscall(434, $1 + 0, 0) if /^=(\\d+)$/;
  if (/^~(\\d+)$/) {
    my $pidfd = delete $held{$1};
    syscall($close + 0, $pidfd) if defined $pidfd && $pidfd >= 0;
  }
  enter(split / /, $1) if /^>(.*)$/;
}
kill 'KILL', -$_ for keys %groups;
$_ >= 0 and syscall(424, $_, 9, 0, 0) for values %held;
`

/** System call numbers of `setns`, `mount`, `prlimit64` and `close`. */
const CALLS = process.arch === 'arm64' ? [268, 40, 261, 57] : [308, 165, 302, 3]

/** A warden that ends sooner does not work on this machine; it is not started again by itself. */
const SHORTEST_LIFE_MS = 1_000

/** As long as a start may take to park. */
const ENTER_MS = 15_000

/** The warden's process starts with the first line to it, and again if it was ended: by somebody, or for not answering. */
export function createWarden(enterMs: number = ENTER_MS): Warden {
  const known = new Set<string>()
  const entering = new Map<string, PromiseWithResolvers<void>>()
  let running: ChildProcess | undefined
  const begin = (): ChildProcess => {
    const started = start((line) => settle(entering, line))
    const since = performance.now()
    const end = (): void => {
      running = undefined
      for (const { reject } of entering.values()) reject(new Error('the warden ended'))
      entering.clear()
      const isLasting = performance.now() - since > SHORTEST_LIFE_MS
      if (known.size > 0 && isLasting) tell('')
    }
    started.once(started.pid === undefined ? 'error' : 'exit', end)
    for (const line of known) started.stdin?.write(line)
    return started
  }
  const tell = (line: string): void => {
    running ??= begin()
    running.stdin?.write(line)
  }
  const know = (line: string): void => {
    tell(line)
    known.add(line)
  }
  const drop = (line: string, farewell: string): void => {
    if (known.delete(line)) tell(farewell)
  }
  return {
    watch(leader) {
      if (leader.pid === undefined) return
      know(`+${leader.pid}\n`)
      leader.once('exit', () => drop(`+${leader.pid}\n`, `-${leader.pid}\n`))
    },
    hold: (initPid) => know(`=${initPid}\n`),
    forget: (initPid) => drop(`=${initPid}\n`, `~${initPid}\n`),
    enter(initPid, limits) {
      const entered = Promise.withResolvers<void>()
      entering.set(String(initPid), entered)
      const each = [...limits].map(([resource, most]) => `${resource}:${most}`)
      tell(`>${[initPid, ...each].join(' ')}\n`)
      return inTime(entered, enterMs, running)
    },
    [Symbol.dispose]() {
      known.clear()
      running?.stdin?.end()
    },
  }
}

/** A warden that does not answer is killed: a stopped process takes no other signal. */
async function inTime(
  { promise, reject }: PromiseWithResolvers<void>,
  ms: number,
  warden: ChildProcess | undefined,
): Promise<void> {
  const timer = setTimeout(() => {
    reject(new Error('the warden does not answer'))
    warden?.kill('SIGKILL')
  }, ms)
  await promise.finally(() => clearTimeout(timer))
}

/** One line for each sandbox that was entered: its first process, and the problem if there was one. */
function settle(entering: Map<string, PromiseWithResolvers<void>>, line: string): void {
  const [initPid = '', ...problem] = line.split(' ')
  const waiting = entering.get(initPid)
  entering.delete(initPid)
  if (problem.length === 0) waiting?.resolve()
  else waiting?.reject(new Error(`cannot enter the sandbox: ${problem.join(' ')}`))
}

/** In a session of its own, so a terminal's Ctrl-C does not reach it. Cordon does not wait for it to end. */
function start(hear: (line: string) => void): ChildProcess {
  const child = spawn(findTools().perl, ['-e', PROGRAM, ...CALLS.map(String)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.on('error', () => undefined) // the start that follows needs Perl as well, and reports that
  if (child.pid === undefined) return child // without descriptors left, Node makes no pipes
  child.stdin.on('error', () => undefined)
  createInterface({ input: child.stdout }).on('line', hear)
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as unknown as { unref(): void }).unref()
  return child
}
