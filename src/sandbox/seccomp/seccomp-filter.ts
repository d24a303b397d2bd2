/**
 * The system calls that a sandboxed process may make. Bubblewrap loads the filter into the sandbox's first process, so
 * no process runs without it.
 *
 *   foreign architecture → killed
 *   x32 numbers, io_uring, clone3, openat2, vmsplice, io_setup, cachestat → as if they did not exist (ENOSYS)
 *   tracing, keyrings, mounts, namespaces, bpf, modules, clocks … → not permitted (EPERM)
 *   clone with a new namespace, typing into a terminal (TIOCSTI) → not permitted
 *   a mode with set-user-id or set-group-id, leases (which stop the `open` of others), dnotify → not permitted
 *   inotify: no events of reading and opening, which would tell every program that anybody starts
 *   reading only what is in memory (RWF_NOWAIT), which would tell the same → as if no file system could;
 *   advice to drop a file from memory → ignored
 *   huge pages, which the owner reserved for others; pages merged with equal ones of others (KSM) → not permitted
 *   socket: TCP and UDP over IPv4 and IPv6, and routing tables; Unix streams for a server that listens on one
 *   socketpair: Unix sockets of connected kinds only
 */
import {
  assemble,
  type BpfLine,
  give,
  ifAnyBit,
  ifAtLeast,
  ifEqual,
  keepBits,
  label,
  load,
} from './bpf.ts'
import { ABSENT, type Architecture, INSPECTED, numberOn, REFUSED, UNCOUNTED } from './syscalls.ts'

const AUDIT_ARCH: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }
const X32_FIRST = 0x40000000

// Offsets into struct seccomp_data; of an argument the low half, since these calls take an int.
const NUMBER = 0
const ARCHITECTURE = 4
const ARGUMENT = [16, 24, 32, 40, 48, 56] as const

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const errno = (number: number) => 0x00050000 + number
/** The call returns 0, and nothing happens. */
const IGNORED = errno(0)
const EPERM = 1
const ENOSYS = 38
const EPROTONOSUPPORT = 93
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97

const NEW_NAMESPACES = 0x7e020000
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const F_SETLEASE = 1024
const F_NOTIFY = 1026
const MAP_HUGETLB = 0x40000
const MFD_HUGETLB = 4
const SHM_HUGETLB = 0o4000
const MADV_MERGEABLE = 12
const PR_SCHED_CORE = 62
const PR_SET_MEMORY_MERGE = 67
const RWF_NOWAIT = 8
const POSIX_FADV_DONTNEED = 4
/** IN_ACCESS, IN_CLOSE_NOWRITE and IN_OPEN. */
const READING_EVENTS = 0x31
/** O_CREAT and O_TMPFILE: without either, a mode that is passed to `open` means nothing. */
const CREATES = 0o20_000_100
const SET_ID = 0o6000
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const NETLINK_ROUTE = 0
const DEFAULT_PROTOCOL = 0
const IPPROTO_TCP = 6
const IPPROTO_UDP = 17
const SOCKET_KIND = 0xf
/**
 * MSG_FASTOPEN connects the socket, in Linux without the check by which Landlock keeps to its ports. MSG_OOB: the urgent
 * byte of Unix sockets, which no program uses and whose code had holes.
 */
const NEVER_SENT = 0x20000001
const SOL_SOCKET = 1
const SO_ATTACH_FILTER = 26
const SO_ATTACH_BPF = 50
const SO_ATTACH_REUSEPORT_CBPF = 51
const SO_ATTACH_REUSEPORT_EBPF = 52
/** TCP_MD5SIG, TCP_ULP, TCP_MD5SIG_EXT, TCP_AO_ADD_KEY, _DEL_KEY and _INFO: signatures and TLS in the kernel. */
const TCP_OPTIONS = [14, 31, 32, 38, 39, 40]
const SOCK_STREAM = 1
const SOCK_DGRAM = 2
const SOCK_SEQPACKET = 5

export interface FilterOptions {
  /** Lets the process make Unix sockets of the stream kind, for a server that listens on one and for browsers. */
  readonly unixSockets?: boolean
  /** Lets the process watch the opening and reading of files. */
  readonly watchesOpening?: boolean
  /** No cgroup counts the memory of the process. */
  readonly isUncounted?: boolean
}

export function seccompFilter(architecture: Architecture, options: FilterOptions = {}): Buffer {
  const absent = { ...ABSENT, ...(options.isUncounted === true && UNCOUNTED) }
  const numbers = (calls: typeof ABSENT) =>
    Object.values(calls).flatMap((pair) => numberOn(architecture, pair) ?? [])
  const to = (name: keyof typeof INSPECTED, target: string) =>
    numbers({ [name]: INSPECTED[name] }).map((number) => ifEqual(number, { yes: target }))
  return assemble([
    load(ARCHITECTURE),
    ifEqual(AUDIT_ARCH[architecture], { no: 'kill' }),
    load(NUMBER),
    ...(architecture === 'x64' ? [ifAtLeast(X32_FIRST, { yes: 'absent' })] : []),
    ...to('clone', 'clone'),
    ...to('ioctl', 'ioctl'),
    ...to('socket', 'socket'),
    ...to('socketpair', 'socketpair'),
    ...to('setsockopt', 'setsockopt'),
    ...to('sendmsg', 'send-third'),
    ...(['sendto', 'sendmmsg'] as const).flatMap((name) => to(name, 'send-fourth')),
    ...to('openat', 'openat'),
    ...to('open', 'open'),
    ...to('fcntl', 'fcntl'),
    ...(['mmap', 'madvise', 'prctl', 'preadv2', 'fadvise64'] as const).flatMap((name) =>
      to(name, name),
    ),
    ...(options.isUncounted === true
      ? []
      : [...to('memfd_create', 'memfd'), ...to('shmget', 'shm')]),
    ...(options.watchesOpening === true ? [] : to('inotify_add_watch', 'inotify')),
    ...(['chmod', 'fchmod', 'mkdir', 'creat'] as const).flatMap((name) => to(name, 'mode-second')),
    ...(['fchmodat', 'fchmodat2', 'mkdirat'] as const).flatMap((name) => to(name, 'mode-third')),
    ...numbers(absent).map((number) => ifEqual(number, { yes: 'absent' })),
    ...numbers(REFUSED).map((number) => ifEqual(number, { yes: 'refused' })),
    give(ALLOW),
    ...inspections(options.unixSockets === true),
    ...SENDING,
    ...MODES,
    ...PAGES,
    ...VERDICTS,
  ])
}

const inspections = (unixSockets: boolean): readonly BpfLine[] => [
  label('clone'),
  load(ARGUMENT[0]),
  ifAnyBit(NEW_NAMESPACES, { yes: 'refused', no: 'allowed' }),

  label('ioctl'),
  load(ARGUMENT[1]),
  ifEqual(TIOCSTI, { yes: 'refused' }),
  ifEqual(TIOCLINUX, { yes: 'refused', no: 'allowed' }),

  label('socket'),
  load(ARGUMENT[0]),
  ifEqual(AF_INET, { yes: 'internet' }),
  ifEqual(AF_INET6, { yes: 'internet' }),
  ...(unixSockets ? [ifEqual(AF_UNIX, { yes: 'unix' })] : []),
  ifEqual(AF_NETLINK, { no: 'no-family' }),
  load(ARGUMENT[2]),
  ifEqual(NETLINK_ROUTE, { yes: 'allowed', no: 'no-family' }),
  ...(unixSockets ? STREAMS : []),
  ...INTERNET,

  // Sockets of a datagram pair (SOCK_RAW is the same) can be connected again, to any Unix socket that has a path.
  label('socketpair'),
  load(ARGUMENT[0]),
  ifEqual(AF_UNIX, { no: 'no-family' }),
  load(ARGUMENT[1]),
  keepBits(SOCKET_KIND),
  ifEqual(SOCK_STREAM, { yes: 'allowed' }),
  ifEqual(SOCK_SEQPACKET, { yes: 'allowed', no: 'refused' }),
]

const MODES: readonly BpfLine[] = [
  label('fcntl'),
  load(ARGUMENT[1]),
  ifEqual(F_SETLEASE, { yes: 'refused' }),
  ifEqual(F_NOTIFY, { yes: 'refused', no: 'allowed' }),

  label('inotify'),
  load(ARGUMENT[2]),
  ifAnyBit(READING_EVENTS, { yes: 'refused', no: 'allowed' }),

  label('openat'),
  load(ARGUMENT[2]),
  ifAnyBit(CREATES, { no: 'allowed' }),
  load(ARGUMENT[3]),
  ifAnyBit(SET_ID, { yes: 'refused', no: 'allowed' }),

  label('open'),
  load(ARGUMENT[1]),
  ifAnyBit(CREATES, { no: 'allowed' }),

  label('mode-third'),
  load(ARGUMENT[2]),
  ifAnyBit(SET_ID, { yes: 'refused', no: 'allowed' }),

  label('mode-second'),
  load(ARGUMENT[1]),
  ifAnyBit(SET_ID, { yes: 'refused', no: 'allowed' }),
]

/** Memory that is shared with others, or tells about them. */
const PAGES: readonly BpfLine[] = [
  label('mmap'),
  load(ARGUMENT[3]),
  ifAnyBit(MAP_HUGETLB, { yes: 'refused', no: 'allowed' }),

  label('memfd'),
  load(ARGUMENT[1]),
  ifAnyBit(MFD_HUGETLB, { yes: 'refused', no: 'allowed' }),

  label('shm'),
  load(ARGUMENT[2]),
  ifAnyBit(SHM_HUGETLB, { yes: 'refused', no: 'allowed' }),

  label('madvise'),
  load(ARGUMENT[2]),
  ifEqual(MADV_MERGEABLE, { yes: 'refused', no: 'allowed' }),

  // Core scheduling keeps the programs of others off the second half of a core.
  label('prctl'),
  load(ARGUMENT[0]),
  ifEqual(PR_SCHED_CORE, { yes: 'refused' }),
  ifEqual(PR_SET_MEMORY_MERGE, { yes: 'refused', no: 'allowed' }),

  label('preadv2'),
  load(ARGUMENT[5]),
  ifAnyBit(RWF_NOWAIT, { yes: 'unsupported', no: 'allowed' }),

  label('fadvise64'),
  load(ARGUMENT[3]),
  ifEqual(POSIX_FADV_DONTNEED, { yes: 'ignored', no: 'allowed' }),
]

/** Programs on sockets, and protocols of the kernel's own above TCP (TLS): much code for no use of a server of tools. */
const SENDING: readonly BpfLine[] = [
  label('setsockopt'),
  load(ARGUMENT[1]),
  ifEqual(IPPROTO_TCP, { yes: 'tcp-option' }),
  ifEqual(SOL_SOCKET, { no: 'allowed' }),
  load(ARGUMENT[2]),
  ifEqual(SO_ATTACH_FILTER, { yes: 'refused' }),
  ifEqual(SO_ATTACH_BPF, { yes: 'refused' }),
  ifEqual(SO_ATTACH_REUSEPORT_CBPF, { yes: 'refused' }),
  ifEqual(SO_ATTACH_REUSEPORT_EBPF, { yes: 'refused', no: 'allowed' }),
  label('tcp-option'),
  load(ARGUMENT[2]),
  ...TCP_OPTIONS.map((option) => ifEqual(option, { yes: 'refused' })),
  give(ALLOW),

  label('send-third'),
  load(ARGUMENT[2]),
  ifAnyBit(NEVER_SENT, { yes: 'refused', no: 'allowed' }),

  label('send-fourth'),
  load(ARGUMENT[3]),
  ifAnyBit(NEVER_SENT, { yes: 'refused', no: 'allowed' }),
]

const STREAMS: readonly BpfLine[] = [
  label('unix'),
  load(ARGUMENT[1]),
  keepBits(SOCKET_KIND),
  ifEqual(SOCK_STREAM, { yes: 'allowed', no: 'no-family' }),
]

/** Other transports (MPTCP, SCTP, L2TP …) and raw sockets carry nothing that the proxy takes, and much old code. */
const INTERNET: readonly BpfLine[] = [
  label('internet'),
  load(ARGUMENT[1]),
  keepBits(SOCKET_KIND),
  ifEqual(SOCK_STREAM, { yes: 'transport' }),
  ifEqual(SOCK_DGRAM, { no: 'no-protocol' }),
  label('transport'),
  load(ARGUMENT[2]),
  ifEqual(DEFAULT_PROTOCOL, { yes: 'allowed' }),
  ifEqual(IPPROTO_TCP, { yes: 'allowed' }),
  ifEqual(IPPROTO_UDP, { yes: 'allowed', no: 'no-protocol' }),
]

const VERDICTS: readonly BpfLine[] = [
  label('allowed'),
  give(ALLOW),
  label('refused'),
  give(errno(EPERM)),
  label('absent'),
  give(errno(ENOSYS)),
  label('unsupported'),
  give(errno(EOPNOTSUPP)),
  label('ignored'),
  give(IGNORED),
  label('no-family'),
  give(errno(EAFNOSUPPORT)),
  label('no-protocol'),
  give(errno(EPROTONOSUPPORT)),
  label('kill'),
  give(KILL_PROCESS),
]
