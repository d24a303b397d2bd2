/** Attempts to hold memory that a careless host does not count, judged by how the program ends. All are bounded. */
import { constants } from 'node:os'
import type { Stage } from './stage.ts'
import { read } from './processes.ts'
import { got, stopped, type Verdict, type Verdicts } from './verdict.ts'

const MB = 2 ** 20
const HELD = 300 * MB
const MANY_FILES = 300_000
/** Cordon's watchdog samples once a second, on a machine that may be slow; a naive contender never ends the program. */
const PATIENCE_S = { cordon: 60, naive: 0 }

const isArm = process.arch === 'arm64'
const [MEMFD_CREATE, SHMGET] = isArm ? [279, 194] : [319, 29]

/** Starts a child from a thread other than the first; the child holds the memory, and its end is the program's. */
const CHILD_OF_A_THREAD = `
  const { Worker } = require('node:worker_threads')
  const script = 'const { parentPort, workerData } = require("node:worker_threads");' +
    'const child = require("node:child_process").spawn("perl", ["-e", workerData]);' +
    'child.once("exit", () => process.kill(process.pid, "SIGKILL"));' +
    'child.stdout.once("data", () => parentPort.postMessage("held"))'
  const hold = '$| = 1; my $held = "x" x ${HELD}; print "held"; sleep 600'
  new Worker(script, { eval: true, workerData: hold }).once('message', () => setTimeout(() => {
    process.stdout.write('GOT ${HELD / MB} MB in a child', () => process.kill(process.pid, 'SIGKILL'))
  }, Number(process.argv[1]) * 1000))`

const PREFACE =
  '$| = 1; sub got { sleep $ARGV[0]; print "GOT $_[0]"; exit } sub stop { print "NO ", $! + 0; exit }'

const PROGRAMS: Readonly<Record<string, string>> = {
  'a memfd': `my $n = 'held'; my $f = syscall(${MEMFD_CREATE}, $n, 0); stop() if $f < 0;
    open my $h, '+<&=', $f or die; my $b = 'x' x ${MB};
    for (1 .. ${HELD / MB}) { syswrite $h, $b or stop() } got('${HELD / MB} MB in a memfd')`,
  'shared memory': `my @all; for (1 .. ${HELD / MB / 10}) {
      my $id = syscall(${SHMGET}, 0, ${10 * MB}, 01600); stop() if $id < 0; push @all, $id;
      my $b = 'x' x ${10 * MB}; shmwrite($id, $b, 0, ${10 * MB}) or stop() }
    got('${HELD / MB} MB of shared memory')`,
  'empty files': `for (1 .. ${MANY_FILES}) { open my $h, '>', "/dev/shm/$_" or stop() } got('${MANY_FILES} files')`,
}

export const MEMORY_SIDE: Readonly<Record<number, (stage: Stage) => Promise<Verdicts>>> = {
  59: async (stage) => ({
    'a worker’s child': await judge(stage, 'node', ['-e', CHILD_OF_A_THREAD]),
  }),
  60: async (stage) => {
    const verdicts: Record<string, Verdict> = {}
    for (const [name, program] of Object.entries(PROGRAMS)) {
      verdicts[name] = await judge(stage, 'perl', ['-e', `${PREFACE} ${program}`])
    }
    return verdicts
  },
}

async function judge(
  { name, contender }: Stage,
  command: string,
  args: readonly string[],
): Promise<Verdict> {
  const patience = PATIENCE_S[name === 'cordon' ? 'cordon' : 'naive']
  const running = await contender.start(command, [...args, String(patience)])
  const text = await read(running.stdout)
  const end = await running.ended
  const [, kind, rest = ''] = /(GOT|NO) (.*)/.exec(text) ?? []
  if (kind === 'GOT') return got(rest)
  if (end.kind === 'memory') return stopped('ended as memory')
  const errno = Object.entries(constants.errno).find(([, number]) => String(number) === rest)?.[0]
  if (kind === 'NO' && errno !== undefined) return stopped(errno)
  throw new Error(`said ${JSON.stringify(text)} and ended as ${JSON.stringify(end)}`)
}
