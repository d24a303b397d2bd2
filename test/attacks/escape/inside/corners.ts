/**
 * Attempts on rarely used corners of the Linux kernel: other processes' memory, namespaces and mounts by their newer
 * calls, odd sockets, counters of the user. Never changes a setting of the kernel.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { type Attempts, call, forEach, perl, type Probes, systemCall } from './probe.ts'

const UNSHARE = call(272, 97)
const OPENAT = call(257, 56)
const SETNS = call(308, 268)
const PIDFD_OPEN = 434
/** A child that waits for five seconds, for calls on a second process. */
const CHILD = 'my $k = fork // die; if (!$k) { sleep 5; exit }'
const IN_NAMESPACES = `syscall(${UNSHARE}, 0x10020000)`

/** Reads from, or writes to, the memory of a child through the address of a variable that both have. */
function childMemory(number: number): string {
  return systemCall(
    number,
    '$k, $part, 1, $same, 1, 0',
    `my $text = 'x' x 64; my $at = unpack 'Q', pack 'P', $text;
     my $part = pack 'Q Q', $at, 8; my $same = pack 'Q Q', $at, 8; ${CHILD}`,
  )
}

const VIEWS = ['mem', 'environ', 'maps', 'fd', 'cwd', 'root', 'ns/user'] as const

/** Opens, lists or resolves the view, whichever its kind allows; a link leads to a file of that process. */
function view(pid: number, name: (typeof VIEWS)[number]): string {
  const file = `/proc/${pid}/${name}`
  if (name === 'fd') return `${readdirSync(file).length} descriptors`
  if (name === 'cwd' || name === 'root' || name === 'ns/user') return readlinkSync(file)
  if (name === 'mem') return perl(`open(my $m, '<', "${file}") ? got("${file}") : stop()`)
  return `${readFileSync(file).length} bytes`
}

function views(pid: number): Probes {
  return Object.fromEntries(VIEWS.map((name) => [name, () => view(pid, name)]))
}

/** A file whose set-id bit was never asked for by `chmod`. */
function setIdAtBirth(made: string): string {
  return perl(`my $n = "/dev/shm/born-$$"; my $d = "/dev/shm"; my $fd = ${made};
    stop() if $fd < 0; my @s = -e $n ? stat $n : do { open my $h, '<&=', $fd or die $!; stat $h };
    unlink $n; $s[2] & 06000 ? got(sprintf '%o', $s[2]) : die 'no bit'`)
}

/** A file capability in a user namespace of its own, in which any user is root. */
const FILE_CAPABILITY = `
  my ($uid, $gid, $f, $name) = ($>, $) + 0, "/dev/shm/capable-$$", "security.capability");
  open my $h, '>', $f or die $!;
  if (syscall(${UNSHARE}, 0x10000000) == 0) {
    for (['setgroups', 'deny'], ['uid_map', "0 $uid 1"], ['gid_map', "0 $gid 1"]) {
      open my $m, '>', "/proc/self/$$_[0]" or next; syswrite $m, $$_[1]; close $m
    }
  }
  my $value = pack 'L5', 0x02000001, 0x2000, 0x2000, 0, 0;
  my $r = syscall(${call(188, 5)}, $f, $name, $value, length $value, 0); my $e = $! + 0;
  unlink $f; $! = $e; $r == 0 ? got($name) : stop()`

/** An unknown request on a pipe ends as ENOTTY, and only in its driver, behind the seccomp filter. */
function terminalCall(request: number): string {
  return perl(`my $x = "\\0" x 8; ioctl(STDIN, ${request}, $x); $!{ENOTTY} ? got("it") : stop()`)
}

function socketOf(family: number, kind: number, protocol: number, before = ''): string {
  return perl(
    `${before}; socket(my $s, ${family}, ${kind}, ${protocol}) ? got("${family}") : stop()`,
  )
}

/** A call that the kernel can only refuse for its arguments; that errno comes from behind the seccomp filter. */
function answeredBy(errno: string, number: number, args: string): string {
  return perl(
    `my ($n, $h) = ("none", pack "L l x16", 8, 1); syscall(${number}, ${args}); $!{${errno}} ? got("it") : stop()`,
  )
}

const NAMESPACES = { network: 0x40000000, ipc: 0x8000000, uts: 0x4000000, pid: 0x20000000 }
const LATER_NAMESPACES = { cgroup: 0x2000000, time: 0x80 }

function unshareEach(all: Readonly<Record<string, number>>): Probes {
  return Object.fromEntries(
    Object.entries(all).map(([name, flag]) => [
      name,
      () => systemCall(UNSHARE, String(0x10000000 + flag)),
    ]),
  )
}

/** More watches than a sandbox may have, on files that every machine has many of. */
const MANY_WATCHES = `
  my $i = syscall(${call(294, 26)}, 0); die $! if $i < 0;
  my ($n, @folders) = (0, '/usr');
  while ($n < 9000 && defined(my $folder = shift @folders)) {
    opendir my $d, $folder or next;
    for (readdir $d) {
      next if $_ eq '.' || $_ eq '..' || -l "$folder/$_";
      my $file = "$folder/$_"; push @folders, $file if -d $file;
      syscall(${call(254, 27)}, $i, $file, 2) >= 0 or ($!{ENOSPC} ? stop() : next);
      last if ++$n == 9000
    }
  }
  $n == 9000 ? got($n) : die "only $n files"`

const MANY_QUEUES = `
  my $most = pack 'q8', 0, 10, 8192, 0, 0, 0, 0, 0;
  for (1 .. 5) {
    my $name = "cordon-$$-$_";
    my $q = syscall(${call(240, 180)}, $name, 0102, 0600, $most); my $e = $! + 0;
    syscall(${call(241, 181)}, $name); $! = $e; stop() if $q < 0
  }
  got(5)`

/** 0 still feeds a core_pattern that is a pipe; only 1 stops that. */
const CORE_LIMIT = `
  my $limit = "\\0" x 16; syscall(${call(302, 261)}, 0, 4, 0, $limit) == 0 or die $!;
  my ($most) = unpack 'Q', $limit; if ($most == 1) { $! = 1; stop() } got("$most bytes")`

/** One step that lets every call pass. */
const FILTER = "my $f = pack 'S C C L', 6, 0, 0, 0x7fff0000; my $p = pack 'S x6 P', 1, $f"
const NO_NEW_PRIVS = `syscall(${call(157, 167)}, 38, 1, 0, 0, 0)`

/** Identifiers of this machine and counts over all of it. */
const MACHINE_WIDE = [
  'kernel/random/boot_id',
  'kernel/pty/nr',
  'fs/file-nr',
  'fs/inode-nr',
  'fs/dentry-state',
  'fs/aio-nr',
]

export const CORNERS: Attempts = {
  65: () => ({
    process_vm_readv: () => childMemory(call(310, 270)),
    process_vm_writev: () => childMemory(call(311, 271)),
    pidfd_getfd: () =>
      systemCall(438, '$p, 0, 0', `${CHILD}; my $p = syscall(${PIDFD_OPEN}, $k, 0)`),
    kcmp: () => systemCall(call(312, 272), '$$ + 0, $k, 0, 0, 0', CHILD),
  }),
  66: (aim) => views(aim.hostPid),
  67: () => views(1),
  68: () => ({
    O_TMPFILE: () => setIdAtBirth(`syscall(${OPENAT}, -100, $d, 020200002, 04755)`),
    'a plain file by mknod': () => setIdAtBirth(`syscall(${call(259, 33)}, -100, $n, 0104755, 0)`),
    'a file capability': () => perl(FILE_CAPABILITY),
  }),
  69: () => ({ fanotify_init: () => systemCall(call(300, 262), '0x200, 0') }),
  70: () => ({
    fsopen: () => systemCall(430, '$t, 0', `${IN_NAMESPACES}; my $t = "tmpfs"`),
    open_tree: () => systemCall(428, '-100, $t, 0x8001', `${IN_NAMESPACES}; my $t = "/usr"`),
    mount_setattr: () =>
      systemCall(
        442,
        '-100, $t, 0, $set, 32',
        `${IN_NAMESPACES}; my $t = "/"; my $set = pack "Q4", 0, 0, 0x40000, 0`,
      ),
    fspick: () =>
      systemCall(
        433,
        '-100, $t, 0',
        `${IN_NAMESPACES}; my ($t, $none) = ("/tmp", "tmpfs");
         syscall(${call(165, 40)}, $none, $t, $none, 0, 0)`,
      ),
  }),
  71: () => ({
    'a namespace file': () =>
      systemCall(
        SETNS,
        'fileno $n, 0x20000',
        `${IN_NAMESPACES}; open my $n, '<', "/proc/self/ns/mnt" or die $!`,
      ),
    'a pidfd': () =>
      systemCall(
        SETNS,
        '$p, 0x4000000',
        `syscall(${UNSHARE}, 0x14000000); my $p = syscall(${PIDFD_OPEN}, $$ + 0, 0)`,
      ),
  }),
  72: () => ({
    name_to_handle_at: () =>
      systemCall(
        call(303, 264),
        '-100, $f, $h, $m, 0',
        'my $f = "/dev/shm"; my $h = pack "L l x128", 128, 0; my $m = pack "i", 0',
      ),
    open_by_handle_at: () => answeredBy('ESTALE', call(304, 265), '-100, $h, 0'),
  }),
  73: () => forEach([0x541c, 0x5412], terminalCall),
  74: () => forEach([4, 15, 16], (protocol) => socketOf(16, 3, protocol)),
  75: () => ({
    'raw IPv4': () => socketOf(2, 3, 1, `syscall(${UNSHARE}, 0x50000000)`),
    'raw IPv6': () => socketOf(10, 3, 58, `syscall(${UNSHARE}, 0x50000000)`),
    MPTCP: () => socketOf(2, 1, 262),
    'IPv6 MPTCP': () => socketOf(10, 1, 262),
  }),
  76: () => ({ ...unshareEach(NAMESPACES), ...unshareEach(LATER_NAMESPACES) }),
  77: () => ({
    'a real-time class': () => systemCall(call(144, 119), '0, 1, $p', 'my $p = pack "i", 1'),
    'a better nice': () => perl('setpriority(0, 0, -5) ? got(-5) : stop()'),
    'a real-time class of the disk': () => systemCall(call(251, 30), '1, 0, 8192'),
    'a deadline of its own': () =>
      systemCall(
        call(314, 274),
        '0, $a, 0',
        'my $a = pack "L L Q l L Q Q Q", 48, 6, 0, 0, 0, 1e6, 1e7, 1e7',
      ),
  }),
  78: () => ({ 'a core_pattern that is a pipe': () => perl(CORE_LIMIT) }),
  79: () => ({
    mlock: () =>
      systemCall(
        call(149, 228),
        '$at, 4194304',
        `my $t = 'x' x 4194304; my $at = unpack 'Q', pack 'P', $t`,
      ),
    mlockall: () => systemCall(call(151, 230), '3'),
  }),
  80: () => ({ 'five queues': () => perl(MANY_QUEUES) }),
  81: () => ({ 'nine thousand watches': () => perl(MANY_WATCHES) }),
  97: () =>
    forEach(['interrupts', 'cmdline', 'diskstats', 'kallsyms', 'softirqs'], (name) =>
      readFileSync(`/proc/${name}`, 'latin1'),
    ),
  110: () => ({ 'an alarm clock': () => systemCall(call(283, 85), '8, 0') }),
  114: () => ({
    ustat: () =>
      systemCall(call(136, 1e4), '$d, $u', 'my $d = (stat "/dev/shm")[0] + 0; my $u = "\\0" x 32'),
    sysfs: () => systemCall(call(139, 1e4), '3'),
  }),
  115: () => ({
    'a supervisor': () => systemCall(call(317, 277), '1, 8, $p', `${FILTER}; ${NO_NEW_PRIVS}`),
    'a filter': () => systemCall(call(157, 167), '22, 2, $p, 0, 0', `${FILTER}; ${NO_NEW_PRIVS}`),
  }),
  116: () => ({
    'a ruleset': () => systemCall(444, '$r, 8, 0', "my $r = pack 'Q', 1"),
    'a restriction': () => answeredBy('EBADF', 446, '-1, 0'),
  }),
  117: () => ({
    // The kernel as well makes no thread of these flags alone; its errno is another.
    'by clone': () => answeredBy('EINVAL', call(56, 220), '0x10000, 0, 0, 0, 0'),
    'by close_range': () => systemCall(436, '100, 200, 2'),
  }),
  118: () => forEach(MACHINE_WIDE, (name) => readFileSync(`/proc/sys/${name}`, 'latin1')),
  82: () => ({
    io_uring_enter: () => answeredBy('EBADF', 426, '-1, 0, 0, 0, 0, 0'),
    io_uring_register: () => answeredBy('EINVAL', 427, '-1, 0, 0, 0'),
  }),
  83: () => ({
    request_key: () => answeredBy('ENOKEY', call(249, 218), '$n, $n, 0, 0'),
    'a session keyring': () => systemCall(call(250, 219), '1, 0'),
  }),
  84: () => ({
    modify_ldt: () => systemCall(call(154, 1e4), '0, $b, 64', 'my $b = "\\0" x 64'),
    vmsplice: () => answeredBy('EBADF', call(278, 75), '-1, 0, 0, 0'),
  }),
}
