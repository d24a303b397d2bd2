/**
 * The system calls that a sandboxed process may make. Bubblewrap loads the filter into the sandbox's first process, so
 * no process runs without it.
 *
 *   foreign architecture → killed
 *   numbers from 470 on and those of x32, io_uring, clone3, openat2, vmsplice, io_setup, cachestat, mincore,
 *   process_madvise, ustat → as if they did not exist (ENOSYS)
 *   tracing, keyrings, mounts, namespaces, bpf, modules, clocks … → not permitted (EPERM)
 *   clone with a new namespace, threads with descriptors of their own, typing into a terminal (TIOCSTI) → not permitted
 *   a mode with set-user-id or set-group-id, leases (which stop the `open` of others), dnotify → not permitted
 *   inotify: no events of reading and opening, which would tell every program that anybody starts
 *   reading only what is in memory (RWF_NOWAIT), which would tell the same → as if no file system could;
 *   advice to drop or to page out files and memory → ignored
 *   pages moved into pipes and sockets (splice, tee, sendfile) → as if the files could not do it (EINVAL)
 *   where no cgroup counts memory: memfd, System V and shared anonymous memory → refused
 *   huge pages, which the owner reserved for others; pages merged with equal ones of others (KSM) → not permitted
 *   socket: TCP and UDP over IPv4 and IPv6, and routing tables; Unix streams for a server that listens on one
 *   socketpair: Unix sockets of connected kinds only
 */
import { assemble, ifAtLeast, ifEqual, label, load } from './bpf.ts'
import { inspections, MODES, pages, SENDING } from './inspections.ts'
import {
  ABSENT,
  type Architecture,
  INSPECTED,
  numberOn,
  OWN_WALLS,
  REFUSED,
  UNCOUNTED,
  UNFIT,
} from './syscalls.ts'
import { allow, ARCHITECTURE, ARGUMENT, NUMBER, VERDICTS } from './verdicts.ts'

const AUDIT_ARCH: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }
/** Calls that Linux got after these rules were written: each would be allowed, whatever it does. */
const FIRST_UNKNOWN = 470
const PR_SET_SECCOMP = 22

export interface FilterOptions {
  /** Lets the process make Unix sockets of the stream kind, for a server that listens on one and for browsers. */
  readonly unixSockets?: boolean
  /** Lets the process watch the opening and reading of files. */
  readonly watchesOpening?: boolean
  /** No cgroup counts the memory of the process. */
  readonly isUncounted?: boolean
}

/** Each rule stands at a label with the name of its call. */
const RULES = [
  ...([
    'clone',
    'close_range',
    'ioctl',
    'socket',
    'socketpair',
    'setsockopt',
    'openat',
    'open',
  ] as const),
  ...(['fcntl', 'mmap', 'madvise', 'prctl', 'preadv2', 'fadvise64'] as const),
]
const COUNTED_RULES = { memfd_create: 'memfd', shmget: 'shm' } as const

export function seccompFilter(architecture: Architecture, options: FilterOptions = {}): Buffer {
  const isUncounted = options.isUncounted === true
  const numbers = (calls: typeof ABSENT) =>
    Object.values(calls).flatMap((pair) => numberOn(architecture, pair) ?? [])
  const to = (calls: typeof ABSENT, target: string) =>
    numbers(calls).map((number) => ifEqual(number, { yes: target }))
  const inspect = (name: keyof typeof INSPECTED, target: string) =>
    to({ [name]: INSPECTED[name] }, target)
  return assemble([
    load(ARCHITECTURE),
    ifEqual(AUDIT_ARCH[architecture], { no: 'kill' }),
    load(NUMBER),
    ifAtLeast(FIRST_UNKNOWN, { yes: 'absent' }), // those of x32 as well
    ...RULES.flatMap((name) => inspect(name, name)),
    ...inspect('sendmsg', 'send-third'),
    ...(['sendto', 'sendmmsg'] as const).flatMap((name) => inspect(name, 'send-fourth')),
    ...(isUncounted
      ? [...to(UNCOUNTED, 'absent'), ...to(UNFIT, 'invalid')]
      : Object.entries(COUNTED_RULES).flatMap(([name, target]) =>
          inspect(name as 'shmget', target),
        )),
    ...(options.watchesOpening === true ? [] : inspect('inotify_add_watch', 'inotify')),
    ...(['chmod', 'fchmod', 'mkdir', 'creat'] as const).flatMap((name) =>
      inspect(name, 'mode-second'),
    ),
    ...(['fchmodat', 'fchmodat2', 'mkdirat'] as const).flatMap((name) =>
      inspect(name, 'mode-third'),
    ),
    ...to(ABSENT, 'absent'),
    ...to(REFUSED, 'refused'),
    ...to(UNFIT, 'invalid'),
    allow(),
    ...inspections(options.unixSockets === true),
    ...SENDING,
    ...MODES,
    ...pages(isUncounted),
    ...VERDICTS,
  ])
}

/**
 * A second filter, which the start program loads when it has restricted itself. Programs do not make walls of their own:
 * filters, supervisors and rulesets take memory of the Linux kernel that no process shows, and all filters of the machine share
 * one pool (`net.core.bpf_jit_limit`), without which nobody's next sandbox starts. The answers are those of a kernel that was
 * built without them, so that programs go on.
 */
export function lastFilter(architecture: Architecture): Buffer {
  const number = (name: keyof typeof OWN_WALLS) => numberOn(architecture, OWN_WALLS[name]) ?? 0
  return assemble([
    load(NUMBER),
    ifEqual(number('prctl'), { yes: 'prctl' }),
    ...(
      ['seccomp', 'landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'] as const
    ).map((name) => ifEqual(number(name), { yes: 'absent' })),
    allow(),
    label('prctl'),
    load(ARGUMENT[0]),
    ifEqual(PR_SET_SECCOMP, { yes: 'invalid', no: 'allowed' }),
    ...VERDICTS,
  ])
}
