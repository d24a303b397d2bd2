/**
 * Kills a process tree that holds more memory than it may, of the kinds that nothing else limits: on machines where no cgroup
 * does, of every kind; everywhere, answers in netlink sockets, which no cgroup counts. Looks once a second.
 */
import { lookAtTree, type TreeLook } from './tree-memory.ts'
import type { ProcessTree } from './process-tree.ts'
import { netlinkBytes } from './socket-bytes.ts'

export interface Watchdog extends Disposable {
  /** Whether the watchdog killed the tree. */
  readonly bit: boolean
}

const PERIOD_MS = 1_000
/** One sample may catch a short peak, such as a child between fork and exec. */
const PATIENCE = 2
/** A program that starts others without pause is now and then not seen whole; one that hides never is. */
const BLIND_PATIENCE = 10
/** No program lets as much wait: it would not read what it asked for. */
const MOST_NETLINK_BYTES = 32 * 2 ** 20
/**
 * A tree can be made so that a look at it takes long. No second look begins while one runs, and a tree that is still being looked
 * at after this many periods has more than can be counted. Periods, not time: a machine that slept has had none.
 */
const LONGEST_LOOK = 4

/** `limitBytes` undefined: a cgroup limits the memory of every other kind. */
export function startWatchdog(tree: ProcessTree, limitBytes: number | undefined): Watchdog {
  let bit = false
  let row: Row = { over: 0, blind: 0 }
  /** How many periods the look that now runs has taken; undefined: none runs. */
  let running: number | undefined
  const bite = (): void => {
    bit = true
    tree.kill()
  }
  const look = async (): Promise<void> => {
    running = 0
    row = nextRow(await lookAtTree(tree.rootPid), limitBytes ?? Infinity, row)
    running = undefined
    if (row.over >= PATIENCE || row.blind >= BLIND_PATIENCE) bite()
  }
  const tick = (): void => {
    if (netlinkBytes(tree.rootPid) > MOST_NETLINK_BYTES) bite()
    if (limitBytes === undefined) return
    if (running === undefined) void look()
    else if (++running >= LONGEST_LOOK) bite()
  }
  const timer = setInterval(tick, PERIOD_MS)
  timer.unref()
  return {
    get bit() {
      return bit
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

export interface Row {
  /** Looks that found too much, since the last one that saw everything and found less. */
  readonly over: number
  /** Looks in a row that could not read everything. */
  readonly blind: number
}

/** The rows after one more look. One in which a process was gone proves nothing, and ends no row of looks that found too much. */
export function nextRow(
  { bytes = 0, isCalm, isWhole }: TreeLook,
  limitBytes: number,
  { over, blind }: Row,
): Row {
  const seen = isWhole ? { blind: 0 } : { blind: blind + 1 }
  if (bytes > limitBytes) return { ...seen, over: over + 1 }
  return { ...seen, over: isCalm && isWhole ? 0 : over }
}
