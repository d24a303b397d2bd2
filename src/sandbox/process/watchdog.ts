/** Ends a tree that takes more memory than it may, for machines where no cgroup does. Looks once a second. */
import { treeMemory } from './tree-memory.ts'
import type { ProcessTree } from './process-tree.ts'

export interface Watchdog extends Disposable {
  /** Whether it ended the tree. */
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
