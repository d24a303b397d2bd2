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
const [MMAP, MUNMAP, MADVISE, READ, FACCESSAT, VMSPLICE] = isArm
  ? [222, 215, 233, 63, 48, 75]
  : [9, 11, 28, 0, 269, 278]

const [MPROTECT, EXIT, CLONE, PRCTL] = isArm ? [226, 93, 220, 167] : [10, 60, 56, 157]
const [EPOLL_CREATE1, EPOLL_CTL] = isArm ? [20, 21] : [291, 233]

/** Runs a part in several children, each of which says on a pipe when it holds its share, and waits for them all. */
function inChildren(count: number, part: string): string {
  return `pipe my $r, my $w or die $!; my $n = ${count}; my @kids; END { kill 9, @kids if @kids }
    for (1 .. $n) {
      my $k = fork; stop() unless defined $k;
      if (!$k) { @kids = (); my @held; ${part}; syswrite $w, 'x'; sleep 600; exit }
      push @kids, $k
    }
    my $said = 0; while ($said < $n) { $said += sysread($r, my $b, 100) || die $! }`
}

/** Fills a descriptor that does not block until it takes no more. */
const FILL = "sub fill { fcntl($_[0], 4, 2048); my $b = 'x' x 65536; 1 while syswrite $_[0], $b }"

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

function watches(before = ''): string {
  return `${inChildren(
    6,
    `${before}; my @sets = map { syscall(${EPOLL_CREATE1}, 0) } 1 .. 400; $sets[-1] >= 0 or die $!;
       for (1 .. 250) { pipe my $a, my $b or die $!; push @held, $a, $b }
       my $event = pack 'L Q', 1, 0;
       for my $set (@sets) { syscall(${EPOLL_CTL}, $set, 1, fileno $_, $event) == 0 or die $! for @held }`,
  )} got('1,200,000 watches')`
}

const KERNEL_PROGRAMS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  92: {
    'socket pairs': `${FILL} ${inChildren(4, 'for (1 .. 250) { socketpair my $a, my $b, 1, 1, 0 or die $!; fill($a); fill($b); push @held, $a, $b }')}
      got('1000 pairs of sockets')`,
  },
  93: {
    pipes: `${FILL} ${inChildren(50, 'for (1 .. 480) { pipe my $a, my $b or die $!; fill($b); push @held, $a, $b }')}
      got('24000 pipes')`,
  },
  111: {
    'watches of epoll': watches(),
    // PR_SET_DUMPABLE: the links of its descriptors are then shown to root alone.
    'watches in a process that may not be seen': watches(`syscall(${PRCTL}, 4, 0, 0, 0, 0)`),
  },
  94: {
    'huge pages in a pipe': `my @pipes; for (1 .. 10) {
        my ($huge, $all) = (${2 * MB}, ${34 * MB});
        my $at = syscall(${MMAP}, 0, $all, 3, 0x22, -1, 0); stop() if $at < 0;
        syscall(${MADVISE}, $at, $all, 14); open my $zero, '<', '/dev/zero' or die $!;
        syscall(${READ}, fileno $zero, $at, $all); pipe my $a, my $b or die $!;
        for (0 .. 15) {
          my $part = pack 'Q Q', $at + $_ * $huge, 1;
          syscall(${VMSPLICE}, fileno $b, $part, 1, 0) == 1 or stop()
        }
        syscall(${MUNMAP}, $at, $all); push @pipes, $a, $b }
      got('320 MB in ten pipes')`,
  },
  95: {
    'page tables': `for (1 .. ${HELD / MB / 4}) {
        my $at = syscall(${MMAP}, 0, ${2048 * MB}, 1, 0x4022, -1, 0); stop() if $at < 0;
        syscall(${FACCESSAT}, -100, $at + $_ * ${2 * MB}, 0, 0) for 0 .. 1023 }
      got('${HELD / MB} MB of page tables')`,
  },
  96: {
    'TCP buffers': `${FILL} socket my $l, 2, 1, 0 or die $!; bind $l, pack 'S n C4 x8', 2, 0, 127, 0, 0, 1 or die $!;
      listen $l, 100 or die $!; my $to = getsockname $l; my @held;
      for (1 .. 80) {
        socket my $a, 2, 1, 0 or die $!; connect $a, $to or stop(); accept my $b, $l or die $!;
        push @held, $a, $b }
      for my $round (1 .. 20) { fill($_) for @held }
      my $sum = 0; for my $s (@held) { for my $ask (0x541b, 0x5411) {
        my $n = pack 'i', 0; ioctl $s, $ask, $n; $sum += unpack 'i', $n } }
      if ($sum < ${HELD}) { $! = 11; stop() } got("$sum bytes")`,
  },
}

/** Fills pages from `$at` on, each part at once dropped from the page tables. */
const DROP = `open my $zero, '<', '/dev/zero' or die $!; for (0 .. ${HELD / MB - 1}) {
  syscall(${READ}, fileno $zero, $at + $_ * ${MB}, ${MB}) == ${MB} or stop();
  syscall(${MADVISE}, $at + $_ * ${MB}, ${MB}, 4) }`

const LATER_PROGRAMS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  119: {
    // The kernel doubles what is asked for, up to a limit of the machine: 8 MB a socket on some, 0.4 MB on Debian.
    'answers about links': `my @held; my $ask = pack 'L S S L L C C S i L L', 32, 18, 1, 1, 0, 0, 0, 0, 1, 0, 0;
      my $sum = 0; while ($sum < ${HELD}) {
        socket my $s, 16, 3, 0 or stop(); setsockopt $s, 1, 8, pack 'i', 1 << 30; push @held, $s;
        $sum += unpack 'i', getsockopt $s, 1, 8;
        for (1 .. 4000) { defined send $s, $ask, 64 or last } }
      got(@held . ' sockets full of answers')`,
  },
  120: {
    'UDP queues': `my (@held, $sum); my $text = 'x' x 60000;
      for (1 .. 60) {
        socket my $to, 2, 2, 0 or die $!; setsockopt $to, 1, 8, pack 'i', 1 << 30;
        bind $to, pack 'S n C4 x8', 2, 0, 127, 0, 0, 1 or die $!; my $at = getsockname $to;
        socket my $from, 2, 2, 0 or die $!; push @held, $to;
        for (1 .. 200) { defined send $from, $text, 64, $at or last } }
      if (UDP_HELD() < ${HELD}) { $! = 11; stop() } got('60 sockets of datagrams');
      sub UDP_HELD { open my $f, '<', '/proc/net/udp' or die $!; my $sum = 0;
        while (<$f>) { $sum += hex $1 if /:([0-9A-F]{8}) \\d\\d:/ } $sum }`,
  },
  122: {
    'a thread alone': `use threads; threads->create(sub { my $n = ${HELD}; my $held = 'x' x $n; got('${HELD / MB} MB') })->detach;
      syscall(${EXIT}, 0)`,
  },
  123: {
    'a process that forks and ends': `pipe my $r, my $w or die $!; my $until = time + $ARGV[0] + 3;
      my $k = fork; stop() unless defined $k;
      if (!$k) {
        my $at = syscall(${MMAP}, 0, ${HELD}, 3, 0x22, -1, 0); stop() if $at < 0;
        syscall(${MADVISE}, $at, ${HELD}, 14); open my $zero, '<', '/dev/zero' or die $!;
        my $got = syscall(${READ}, fileno $zero, $at, ${HELD}); syswrite $w, $got == ${HELD} ? 'x' : 'n';
        while (time < $until) { for (1 .. 100) { syscall(${CLONE}, 17, 0, 0, 0, 0) and syscall(${EXIT}, 0) } }
        kill 9, $$ }
      close $w; sysread($r, my $b, 1) or kill 9, $$;
      if ($b ne 'x') { $! = 12; stop() } got('${HELD / MB} MB that hop')`,
  },
  125: {
    'shared memory without a name': `my $at = syscall(${MMAP}, 0, ${HELD}, 3, 0x21, -1, 0); stop() if $at < 0;
      ${DROP} got('${HELD / MB} MB that are in no page table')`,
    'shared zeroes': `open my $f, '+<', '/dev/zero' or die $!;
      my $at = syscall(${MMAP}, 0, ${HELD}, 3, 1, fileno $f, 0); stop() if $at < 0;
      ${DROP} got('${HELD / MB} MB that are in no page table')`,
  },
  121: {
    'areas of address space': `${inChildren(
      30,
      `my $at = syscall(${MMAP}, 0, ${256 * MB}, 0, 0x4022, -1, 0); $at >= 0 or die $!;
       for (0 .. 32000) { syscall(${MPROTECT}, $at + $_ * 8192, 4096, 1) == 0 or last }`,
    )} got('30 times 64,000 areas')`,
  },
}

export const MEMORY_SIDE: Readonly<Record<number, (stage: Stage) => Promise<Verdicts>>> = {
  59: async (stage) => ({
    'a worker’s child': await judge(stage, 'node', ['-e', CHILD_OF_A_THREAD]),
  }),
  60: (stage) => runAll(stage, PROGRAMS),
  ...Object.fromEntries(
    Object.entries({ ...KERNEL_PROGRAMS, ...LATER_PROGRAMS }).map(([number, programs]) => [
      number,
      (stage: Stage) => runAll(stage, programs),
    ]),
  ),
}

async function runAll(stage: Stage, programs: Readonly<Record<string, string>>): Promise<Verdicts> {
  const verdicts: Record<string, Verdict> = {}
  for (const [name, program] of Object.entries(programs)) {
    verdicts[name] = await judge(stage, 'perl', ['-e', `${PREFACE} ${program}`])
  }
  return verdicts
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
