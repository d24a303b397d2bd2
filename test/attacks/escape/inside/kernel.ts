/** Attempts on other processes and on the Linux kernel, mostly by bare system calls. Never changes a kernel setting. */
import { readFileSync, statSync } from 'node:fs'
import { type Attempts, call, perl, systemCall } from './probe.ts'
import { talk } from './network.ts'

const PTRACE = call(101, 117)
const UNSHARE = call(272, 97)
const CLONE = call(56, 220)
const CLONE3 = 435
const MOUNT = call(165, 40)
const PIVOT_ROOT = call(155, 41)
const KEYCTL = call(250, 219)
const ADD_KEY = call(248, 217)
const BPF = call(321, 280)
const PERF_EVENT_OPEN = call(298, 241)
const USERFAULTFD = call(323, 282)
const PRCTL = call(157, 167)
const SECCOMP = call(317, 277)
const IO_URING_SETUP = 425

/** Gains capabilities in namespaces of its own, if allowed to; only the system call after it decides the attempt. */
const OWN_NAMESPACES = `syscall(${UNSHARE}, 0x10020000)`
const OWN_NETWORK = `syscall(${UNSHARE}, 0x50000000)`

/** Attaches without stopping the traced process (PTRACE_SEIZE); the tracer's exit detaches it. */
function trace(pid: string, before = ''): string {
  return systemCall(PTRACE, `0x4206, ${pid}, 0, 0`, before)
}

/** A system call that forks; the child exits at once. */
function fork(call: string, before = ''): string {
  return perl(`${before}; my $r = ${call}; exit if $r == 0; $r > 0 ? got($r) : stop()`)
}

function makeDevice(number: number): string {
  const call = process.arch === 'arm64' ? '33, -100, $f' : '133, $f'
  const file = `/dev/shm/device-${number}`
  return perl(
    `my $f = "${file}"; syscall(${call}, 0020666, ${number}) == 0 or stop(); unlink $f; got($f)`,
  )
}

/**
 * A kernel without x32 gives the same errno as a seccomp filter that refuses x32. So the attempt adds a filter that
 * hands x32 calls to a supervisor, which the kernel asks only about calls that no other filter has refused. Where it may add
 * none, the answer to the call itself has to do.
 */
const X32 = `
  my $filter = join '', map { pack 'S C C L', @$_ }
    [0x20, 0, 0, 0], [0x35, 0, 1, 0x40000000], [6, 0, 0, 0x7fc00000], [6, 0, 0, 0x7fff0000];
  my $program = pack 'S x6 P', 4, $filter;
  syscall(${PRCTL}, 38, 1, 0, 0, 0);
  my $supervisor = syscall(${SECCOMP}, 1, 8, $program);
  if ($supervisor < 0) { syscall(0x40000000 + 39) == -1 ? stop() : got('an answer') }
  my $child = fork // die $!;
  if (!$child) { syscall(0x40000000 + 39) == -1 ? exit $! + 0 : exit 0 }
  for (1 .. 300) {
    my $wanted = ''; vec($wanted, $supervisor, 1) = 1;
    if (select($wanted, undef, undef, 0.01) > 0) { kill 9, $child; got('past every filter') }
    if (waitpid($child, 1) == $child) { $! = $? >> 8; $! ? stop() : got('an answer') }
  }
  kill 9, $child; die 'no answer'`

const FCHMODAT = call(268, 53)
const MKDIRAT = call(258, 34)
const OPENAT = call(257, 56)
const FCHMODAT2 = 452
const FCNTL = call(72, 25)
const INOTIFY_INIT1 = call(294, 26)
const INOTIFY_ADD_WATCH = call(254, 27)

/** Makes an empty file in memory first; `made` decides whether the set-id bit is on it. */
function setId(made: string): string {
  return perl(`my $f = "/dev/shm/set-id-$$"; open my $h, '>', $f or die $!; my $n = "$f-new";
    ${made} or do { my $e = $! + 0; unlink $f, $n; rmdir $n; $! = $e; stop() };
    my $mode = (stat(-e $n ? $n : $f))[2] & 06000; unlink $f, $n; rmdir $n;
    $mode ? got(sprintf '%o', $mode) : die 'no bit'`)
}

/** More than a user may have; each is as costly to the others of the user as to this one. */
const MANY_SIGNALS = `
  my $id = pack 'i', 0; my $n = 0;
  while ($n < 3000 && syscall(${call(222, 107)}, 1, 0, $id) == 0) { $n++ }
  $n == 3000 ? got($n) : stop()`

export const KERNEL: Attempts = {
  53: () => ({
    'its memory': () => perl('open(my $m, "+<", "/proc/1/mem") ? got("/proc/1/mem") : stop()'),
    'its descriptors': () => perl('opendir(my $d, "/proc/1/fd") ? got("/proc/1/fd") : stop()'),
  }),
  54: () => ({
    chmod: () => setId('chmod(04755, $f)'),
    fchmod: () => setId('chmod(02755, $h)'),
    fchmodat: () => setId(`syscall(${FCHMODAT}, -100, $f, 04755) == 0`),
    fchmodat2: () => setId(`syscall(${FCHMODAT2}, -100, $f, 04755, 0) == 0`),
    open: () => setId(`syscall(${OPENAT}, -100, $n, 0101, 04755) >= 0`),
    mkdir: () => setId(`syscall(${MKDIRAT}, -100, $n, 02755) == 0 && chmod(02755, $n)`),
  }),
  55: () => ({
    inotify: () =>
      perl(`my $d = "/usr/bin"; my $i = syscall(${INOTIFY_INIT1}, 0); die $! if $i < 0;
        syscall(${INOTIFY_ADD_WATCH}, $i, $d, 0x20) >= 0 ? got($d) : stop()`),
    dnotify: () =>
      perl(`opendir my $d, "/usr/bin" or die $!; $SIG{IO} = 'IGNORE';
        syscall(${FCNTL}, fileno $d, 1026, 1) == 0 ? got("/usr/bin") : stop()`),
  }),
  56: () => ({
    'a write lease': () =>
      perl(`my $f = "/dev/shm/lease-$$"; open my $h, '+>', $f or die $!;
        my $r = syscall(${FCNTL}, fileno $h, 1024, 1); my $e = $! + 0; unlink $f; $! = $e;
        $r == 0 ? got("a lease") : stop()`),
  }),
  57: () => ({
    'a hundred instances': () =>
      perl(`for (1 .. 100) { syscall(${INOTIFY_INIT1}, 0) >= 0 or stop() } got(100)`),
  }),
  58: () => ({ timers: () => perl(MANY_SIGNALS) }),
  13: (aim) => ({
    'signal it': () => {
      process.kill(aim.hostPid, 0)
      return `process ${aim.hostPid} can be signalled`
    },
    'see it': () => readFileSync(`/proc/${aim.hostPid}/cmdline`, 'utf8'),
  }),
  14: (aim) => ({
    'a process of the host': () => trace(String(aim.hostPid)),
    'a child': () => trace('$k', 'my $k = fork // die; if (!$k) { sleep 2; exit }'),
  }),
  17: () => ({
    'three hundred': () =>
      perl(
        'for (1 .. 300) { my $k = fork; stop() unless defined $k; if (!$k) { sleep 1; exit } } got(300)',
      ),
  }),
  22: () => ({
    'the terminal of its host': () =>
      perl(
        'open my $t, "+<", "/dev/tty" or stop(); my $x = "x"; ioctl($t, 0x5412, $x) ? got(1) : stop()',
      ),
    // A pipe is no terminal: ENOTTY can only come from the driver, behind the seccomp filter.
    'the call': () =>
      perl('my $x = "x"; ioctl(STDIN, 0x5412, $x); $!{ENOTTY} ? got("the driver") : stop()'),
  }),
  23: () => ({
    unshare: () => systemCall(UNSHARE, '0x10000000'),
    clone: () => fork(`syscall(${CLONE}, 0x10000011, 0, 0, 0, 0)`),
    clone3: () =>
      fork(
        `syscall(${CLONE3}, $args, 64)`,
        'my $args = pack "Q8", 0x10000000, 0, 0, 0, 17, 0, 0, 0',
      ),
  }),
  24: () => ({
    mount: () =>
      systemCall(
        MOUNT,
        '$from, $to, $type, 0, 0',
        `${OWN_NAMESPACES}; my ($from, $to, $type) = ("none", "/tmp", "tmpfs")`,
      ),
    pivot_root: () =>
      systemCall(
        PIVOT_ROOT,
        '$here, $here',
        `${OWN_NAMESPACES}; my ($from, $to, $type, $here) = ("none", "/tmp", "tmpfs", ".");
        syscall(${MOUNT}, $from, $to, $type, 0, 0); chdir $to`,
      ),
    chroot: () => perl(`${OWN_NAMESPACES}; chroot("/usr") ? got("/usr") : stop()`),
  }),
  25: () => ({
    io_uring_setup: () => systemCall(IO_URING_SETUP, '8, $p', 'my $p = "\\0" x 256'),
  }),
  26: () => ({
    keyctl: () => systemCall(KEYCTL, '0, -3, 0'),
    add_key: () =>
      systemCall(ADD_KEY, '$t, $d, $v, 1, -3', 'my ($t, $d, $v) = ("user", "cordon", "x")'),
  }),
  27: () => ({
    vsock: () => perl('socket(my $s, 40, 1, 0) ? got(40) : stop()'),
    packet: () => perl(`${OWN_NETWORK}; socket(my $s, 17, 3, 0) ? got(17) : stop()`),
    alg: () => perl('socket(my $s, 38, 5, 0) ? got(38) : stop()'),
    // No kernel makes such a pair, but EOPNOTSUPP can only come from behind the seccomp filter.
    'a pair of another family': () =>
      perl('socketpair(my $a, my $b, 2, 1, 0); $!{EOPNOTSUPP} ? got("the kernel") : stop()'),
    // A datagram socket of a pair can be reconnected to any socket on a path.
    'a pair of datagrams': () => perl('socketpair(my $a, my $b, 1, 2, 0) ? got(1) : stop()'),
  }),
  28: () => ({
    bpf: () => systemCall(BPF, '0, $map, 72', 'my $map = pack "L5 x100", 1, 4, 4, 1, 0'),
    // A software clock of its own process, excluding the kernel: the event with the weakest permission check.
    perf_event_open: () =>
      systemCall(
        PERF_EVENT_OPEN,
        '$event, 0, -1, -1, 0',
        'my $event = pack "L L Q x24 Q x64", 1, 112, 0, 0x60',
      ),
    userfaultfd: () => systemCall(USERFAULTFD, '1'),
  }),
  29: () => ({
    // Device 0:0 marks a deleted file in an overlay (whiteout); the kernel lets any user make it.
    'the device 0:0': () => makeDevice(0),
    '/dev/zero': () => makeDevice(0x105),
  }),
  30: (aim) => ({
    'shared memory': () =>
      perl(`my $r = shmget(${aim.sharedKey}, 4096, 0); defined $r ? got($r) : stop()`),
  }),
  31: () => ({ getpid: () => perl(X32) }),
  32: (aim) => ({ 'a name': () => talk({ path: `\0${aim.abstractSocket}` }) }),
  33: (aim) => ({
    'the socket': () => talk({ path: aim.pathSocket }),
    'the file': () => `made at ${statSync(aim.pathSocket).mtime.toISOString()}`,
  }),
}
