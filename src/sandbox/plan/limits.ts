/**
 * The rlimits of every process in a sandbox, with or without a cgroup. Inherited by children, and never raised again.
 */
import type { MemoryLayer } from '../../kernel/sandbox-port.ts'

// Linux numbers of RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_CORE, RLIMIT_NPROC and RLIMIT_NOFILE.
const FILE_SIZE = 1
const DATA = 2
const CORE = 4
const PROCESSES = 6
const OPEN_FILES = 7

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
    [CORE, 0],
  ])
}

/** Threads count too. Only for a user namespace, in which Linux counts processes per sandbox. */
export function processLimit(): ReadonlyMap<number, number> {
  return new Map([[PROCESSES, 128]])
}
