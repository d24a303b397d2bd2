/**
 * The rlimits of every process in a sandbox, with or without a cgroup. Inherited by children, and never raised again.
 */
import type { MemoryLayer } from '../../kernel/sandbox-port.ts'
import type { SandboxSettings } from '../../kernel/server-definition.ts'

// Linux numbers of RLIMIT_FSIZE, _DATA, _CORE, _NPROC, _NOFILE, _MEMLOCK, _SIGPENDING, _MSGQUEUE, _NICE and _RTPRIO.
const FILE_SIZE = 1
const DATA = 2
const CORE = 4
const PROCESSES = 6
const OPEN_FILES = 7
const LOCKED_MEMORY = 8
const PENDING_SIGNALS = 11
const MESSAGE_QUEUES = 12
const NICE = 13
const REAL_TIME = 14

/** Node 24 reserves this much memory at its start without using it; with less it does not start at all. */
const NODE_RESERVE_BYTES = 640 * 2 ** 20
const LARGEST_FILE_BYTES = 2 * 2 ** 30

/**
 * Address space is never limited: WebAssembly reserves gigabytes of it, and uses none. RLIMIT_DATA is set only if no
 * cgroup limits the memory really used: each worker thread of Node reserves half a gigabyte, which an rlimit cannot
 * tell from use.
 */
export function resourceLimits(
  memoryLimitBytes: number,
  layer: MemoryLayer,
): ReadonlyMap<number, number> {
  const data = [DATA, memoryLimitBytes + NODE_RESERVE_BYTES] as const
  return new Map([
    ...(layer === 'rlimit+watchdog' ? [data] : []),
    [FILE_SIZE, LARGEST_FILE_BYTES],
    [OPEN_FILES, 1024],
    [CORE, 1], // 0 still feeds a core_pattern that is a pipe; 1 is what the kernel takes for "none at all" there
    // Counted per user of the machine, so without a limit one server uses them up for all programs of the user.
    [PENDING_SIGNALS, 1024],
    [MESSAGE_QUEUES, 65_536],
    [LOCKED_MEMORY, 65_536],
    // A person who makes music may have the right to real-time classes; a server in one would stop the machine.
    [NICE, 0],
    [REAL_TIME, 0],
  ])
}

/** Threads count too, and a browser has many. Only for a user namespace, in which Linux counts processes per sandbox. */
export function processLimit({
  startsBrowser = false,
}: Pick<SandboxSettings, 'startsBrowser'>): ReadonlyMap<number, number> {
  return new Map([[PROCESSES, startsBrowser ? 768 : 128]])
}
