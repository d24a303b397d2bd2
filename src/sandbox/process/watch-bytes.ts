/**
 * Memory of the watches that a process tree has set up by epoll: one for each descriptor in each set, so a process with a
 * thousand descriptors can have a quarter of a million. Where no cgroup counts memory, nothing else shows them. Reads /proc
 * only.
 */
import { readlinkSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/** `struct epitem` with the entry in the queue of what it waits for. */
const WATCH_BYTES = 200
/** Of a tree with more descriptors a random sample is looked at, and stands for the rest. */
const MOST_LOOKS = 2_048

type Descriptor = readonly [task: string, name: string]

/** `tasks`: each process by a thread that lives, as /proc names it. */
export async function watchBytes(tasks: readonly string[]): Promise<number> {
  const each = await Promise.all(
    tasks.map(async (task) => (await namesOf(task)).map((name): Descriptor => [task, name])),
  )
  const all = each.flat()
  const looked = all.length <= MOST_LOOKS ? all : sampleOf(all)
  let watches = 0
  for (const descriptor of looked) watches += await watchesOf(descriptor)
  return looked.length === 0 ? 0 : watches * (all.length / looked.length) * WATCH_BYTES
}

/** Not every nth: a server could choose which numbers its descriptors have. */
function sampleOf(all: readonly Descriptor[]): readonly Descriptor[] {
  return Array.from(
    { length: MOST_LOOKS },
    () => all[Math.floor(Math.random() * all.length)],
  ).filter((descriptor) => descriptor !== undefined)
}

async function namesOf(task: string): Promise<readonly string[]> {
  return await readdir(`/proc/${task}/fdinfo`).catch(() => [])
}

async function watchesOf([task, name]: Descriptor): Promise<number> {
  if (!maybeSet(`/proc/${task}/fd/${name}`)) return 0
  const info = await readFile(`/proc/${task}/fdinfo/${name}`, 'utf8').catch(() => '')
  return info.split('\ntfd:').length - 1
}

/** A process can keep the links from its own user (PR_SET_DUMPABLE), but not the folder `fdinfo`: then all count as sets. */
function maybeSet(link: string): boolean {
  try {
    return readlinkSync(link) === 'anon_inode:[eventpoll]'
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES' // else it has been closed
  }
}
