/** Kills a process tree that exceeds its memory limit, on machines where no cgroup does. Samples once a second. */
import { treeMemory } from './tree-memory.ts'
import type { ProcessTree } from './process-tree.ts'

export interface Watchdog extends Disposable {
  /** Whether the watchdog killed the tree. */
  readonly bit: boolean
}

const PERIOD_MS = 1_000
/** One sample may catch a short peak, such as a child between fork and exec. */
const PATIENCE = 2

export function startWatchdog(tree: ProcessTree, limitBytes: number): Watchdog {
  let bit = false
  let over = 0
  const look = async () => {
    const bytes = (await treeMemory(tree.rootPid)) ?? 0
    over = bytes > limitBytes ? over + 1 : 0
    if (over < PATIENCE) return
    bit = true
    tree.kill()
  }
  const timer = setInterval(() => void look(), PERIOD_MS)
  timer.unref()
  return {
    get bit() {
      return bit
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
