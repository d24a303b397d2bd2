/** Calls whose arguments decide: each rule begins at a label of its own and ends in a verdict. Knows no numbers of calls. */
import { type BpfLine, ifAnyBit, ifEqual, keepBits, label, load } from './bpf.ts'
import { allow, ARGUMENT } from './verdicts.ts'

const NEW_NAMESPACES = 0x7e020000
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const F_SETLEASE = 1024
const F_NOTIFY = 1026
const MAP_HUGETLB = 0x40000
const MFD_HUGETLB = 4
const SHM_HUGETLB = 0o4000
const MADV_MERGEABLE = 12
const MADV_COLD = 20
const MADV_PAGEOUT = 21
const PR_SCHED_CORE = 62
const PR_SET_MEMORY_MERGE = 67
const RWF_NOWAIT = 8
const POSIX_FADV_DONTNEED = 4
/** IN_ACCESS, IN_CLOSE_NOWRITE and IN_OPEN. */
const READING_EVENTS = 0x31
/** O_CREAT and O_TMPFILE: without either, a mode that is passed to `open` means nothing. */
const CREATES = 0o20_000_100
const SET_ID = 0o6000
const CLONE_THREAD = 0x10000
const CLONE_FILES = 0x400
const CLOSE_RANGE_UNSHARE = 2
/** MAP_SHARED and MAP_ANONYMOUS. */
const SHARED_ANONYMOUS = 0x21
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

export const inspections = (unixSockets: boolean): readonly BpfLine[] => [
  label('clone'),
  load(ARGUMENT[0]),
  ifAnyBit(NEW_NAMESPACES, { yes: 'refused' }),
  // A thread with descriptors of its own would hold some that are not among those of its process.
  ifAnyBit(CLONE_THREAD, { no: 'allowed' }),
  ifAnyBit(CLONE_FILES, { yes: 'allowed', no: 'refused' }),

  label('close_range'),
  load(ARGUMENT[2]),
  ifAnyBit(CLOSE_RANGE_UNSHARE, { yes: 'invalid', no: 'allowed' }),

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

export const MODES: readonly BpfLine[] = [
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
export const pages = (isUncounted: boolean): readonly BpfLine[] => [
  label('mmap'),
  load(ARGUMENT[3]),
  ifAnyBit(MAP_HUGETLB, { yes: 'refused', no: isUncounted ? 'shared-memory' : 'allowed' }),
  // Its pages stay when the process drops them from its tables (MADV_DONTNEED), and then nothing shows them.
  label('shared-memory'),
  keepBits(SHARED_ANONYMOUS),
  ifEqual(SHARED_ANONYMOUS, { yes: 'refused', no: 'allowed' }),

  label('memfd'),
  load(ARGUMENT[1]),
  ifAnyBit(MFD_HUGETLB, { yes: 'refused', no: 'allowed' }),

  label('shm'),
  load(ARGUMENT[2]),
  ifAnyBit(SHM_HUGETLB, { yes: 'refused', no: 'allowed' }),

  label('madvise'),
  load(ARGUMENT[2]),
  ifEqual(MADV_MERGEABLE, { yes: 'refused' }),
  ifEqual(MADV_COLD, { yes: 'ignored' }),
  ifEqual(MADV_PAGEOUT, { yes: 'ignored', no: 'allowed' }),

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
export const SENDING: readonly BpfLine[] = [
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
  allow(),

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
