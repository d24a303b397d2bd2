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
  let over = 0
  /** How many periods the look that now runs has taken; undefined: none runs. */
  let running: number | undefined
  const bite = (): void => {
    bit = true
    tree.kill()
  }
  const look = async (): Promise<void> => {
    running = 0
    over = nextOver(await lookAtTree(tree.rootPid), limitBytes ?? Infinity, over)
    running = undefined
    if (over >= PATIENCE) bite()
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

/** How many looks in a row have found too much, after one more. One that missed a process proves nothing, and ends no row. */
export function nextOver(
  { bytes = 0, isCalm, isWhole }: TreeLook,
  limitBytes: number,
  over: number,
): number {
  if (bytes > limitBytes || !isWhole) return over + 1
  return isCalm ? 0 : over
}
