/** Memory of a process tree, as the sum of its PSS (shared pages are divided among their users). Reads /proc only. */
import { readFile } from 'node:fs/promises'
import { childrenOf } from './process-tree.ts'

/** In bytes; undefined when no process of the tree can be read. */
export async function treeMemory(rootPid: number): Promise<number | undefined> {
  const pids = treeOf(rootPid)
  const sizes = await Promise.all(pids.map(proportionalSize))
  const known = sizes.filter((size) => size !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, size) => sum + size, 0)
}

function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)]
}

async function proportionalSize(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
