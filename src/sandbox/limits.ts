/** The limits every process of a sandbox lives under, whatever else holds its memory. Inherited, and never raised again. */
import type { MemoryLayer } from '../kernel/sandbox-port.ts'

// As the kernel numbers resources.
const FILE_SIZE = 1
const DATA = 2
const CORE = 4
const PROCESSES = 6
const OPEN_FILES = 7

/** Node 24 reserves this much at its start, and for each worker thread, without using it; below, neither starts at all. */
const NODE_RESERVE_BYTES = 640 * 2 ** 20
const WORKER_RESERVE_BYTES = 544 * 2 ** 20
const WORKERS = 4
const LARGEST_FILE_BYTES = 256 * 2 ** 20

/**
 * Address space is never limited: WebAssembly reserves gigabytes of it, and uses none. Nor is data where a group holds
 * the memory that is really used: the two cannot be told apart by a number.
 */
export function resourceLimits(
  memoryLimitBytes: number,
  layer: MemoryLayer,
): ReadonlyMap<number, number> {
  const data = memoryLimitBytes + NODE_RESERVE_BYTES + WORKERS * WORKER_RESERVE_BYTES
  return new Map([
    ...(layer === 'rlimit+watchdog' ? [[DATA, data] as const] : []),
    [FILE_SIZE, LARGEST_FILE_BYTES],
    [OPEN_FILES, 1024],
    [CORE, 0],
  ])
}

/** Threads count too. Only where processes are counted per sandbox, which is inside a user namespace. */
export function processLimit(): ReadonlyMap<number, number> {
  return new Map([[PROCESSES, 128]])
}
