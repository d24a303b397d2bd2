/** The limits every process of a sandbox lives under, whatever else holds its memory. Inherited, and never raised again. */
import type { MemoryLayer } from '../../kernel/sandbox-port.ts'

// As the kernel numbers resources.
const FILE_SIZE = 1
const DATA = 2
const CORE = 4
const PROCESSES = 6
const OPEN_FILES = 7

/** Node 24 reserves this much at its start without using it; below, it does not start at all. */
const NODE_RESERVE_BYTES = 640 * 2 ** 20
const LARGEST_FILE_BYTES = 256 * 2 ** 20

/**
 * Address space is never limited: WebAssembly reserves gigabytes of it, and uses none. Data is, unless a group holds the
 * memory that is really used: each worker thread of Node reserves half a gigabyte, and no number tells that from use.
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

/** Threads count too. Only where processes are counted per sandbox, which is inside a user namespace. */
export function processLimit(): ReadonlyMap<number, number> {
  return new Map([[PROCESSES, 128]])
}
