/**
 * The memory of one process: pages, page tables, areas of its address space, descriptors. Reads /proc only.
 *
 *   the first thread has ended and others live → the process still has its memory, and only its threads' files show it
 *   the process has ended and waits for its parent (a zombie) → nothing
 *   it belongs to another user (only without a sandbox) → nothing
 *   it has gone between the listing and the reading → undefined
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'

export interface ProcessSize {
  /** The name in /proc of the process, or of its first thread that lives. */
  readonly task: string
  /** Bytes that only this process is charged for. */
  readonly own: number
  /** Bytes of its part of shared memory; of a file in memory, so that the file must not count twice. */
  readonly shared: number
  /** Bytes of pages that a fork shares, as far as they are charged to other processes. */
  readonly elsewhere: number
  readonly areas: number
  readonly descriptors: number
  /** Maps shared memory without a name, which no count shows once the page tables have dropped it. */
  readonly hides: boolean
}

/** Undefined when the process has gone, or has pages that cannot be read now. */
export async function processSize(pid: number): Promise<ProcessSize | undefined> {
  for await (const task of tasksOf(pid)) {
    const [rollup, status, maps] = await Promise.all(
      FILES.map((name) => readFile(`/proc/${task}/${name}`).catch(nothingOf)),
    )
    const size = sizeIn({ rollup, status, maps })
    if (size) return { ...size, task, descriptors: await descriptorsOf(task) }
    if (isZombie(status)) return { ...EMPTY, task }
  }
  return undefined
}

/** The same, without a turn of the thread pool between the listing and the reading; for processes that are gone after one. */
export function processSizeNow(pid: number): ProcessSize | undefined {
  for (const task of tasksNow(pid)) {
    const [rollup, status, maps] = FILES.map((name) => readNow(`/proc/${task}/${name}`))
    const size = sizeIn({ rollup, status, maps })
    if (size) return { ...size, task, descriptors: countNow(task) }
    if (isZombie(status)) return { ...EMPTY, task }
  }
  return undefined
}

/** The process by its first thread; by the other threads only if the first has ended. */
async function* tasksOf(pid: number): AsyncGenerator<string> {
  yield `${pid}`
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  yield* threads.map((thread) => `${pid}/task/${thread}`)
}

function* tasksNow(pid: number): Generator<string> {
  yield `${pid}`
  yield* list(`/proc/${pid}/task`).map((thread) => `${pid}/task/${thread}`)
}

const FILES = ['smaps_rollup', 'status', 'maps'] as const
const NOTHING = Buffer.alloc(0)
/** A program of another user that a server without a sandbox has started: it is there, and shows nothing. */
const DENIED = Buffer.from('denied')
const EMPTY = {
  own: 0,
  shared: 0,
  elsewhere: 0,
  areas: 0,
  descriptors: 0,
  hides: false,
}
const NEW_LINE = 10
/** How the kernel calls shared memory that has no name. */
const UNNAMED = Buffer.from('/dev/zero (deleted)')

interface Read {
  readonly rollup: Buffer | undefined
  readonly status: Buffer | undefined
  readonly maps: Buffer | undefined
}

function sizeIn({
  rollup,
  status,
  maps = NOTHING,
}: Read): Omit<ProcessSize, 'task' | 'descriptors'> | undefined {
  if (rollup === DENIED) return EMPTY
  const all = kilobytes(rollup, 'Pss')
  if (all === undefined) return undefined
  const shared = kilobytes(rollup, 'Pss_Shmem') ?? 0
  const own = all - shared + (kilobytes(status, 'VmPTE') ?? 0)
  const elsewhere = (kilobytes(rollup, 'Anonymous') ?? 0) - (kilobytes(rollup, 'Pss_Anon') ?? 0)
  return {
    own,
    shared,
    elsewhere,
    areas: linesIn(maps),
    hides: maps.includes(UNNAMED),
  }
}

function kilobytes(text: Buffer | undefined, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(String(text))?.[1]
  return found === undefined ? undefined : Number(found) * 1024
}

function linesIn(text: Buffer): number {
  let lines = 0
  for (let at = text.indexOf(NEW_LINE); at >= 0; at = text.indexOf(NEW_LINE, at + 1)) lines += 1
  return lines
}

/** A first thread that has ended is a zombie as well, until the other threads have ended. */
function isZombie(status: Buffer | undefined): boolean {
  return /^State:\s+[ZX][^]*^Threads:\s+[01]$/m.test(String(status))
}

/** The size of the folder since Linux 6.2; before that, its entries are counted. */
async function descriptorsOf(task: string): Promise<number> {
  const folder = `/proc/${task}/fd`
  const known = await stat(folder).then(
    ({ size }) => size,
    () => 0,
  )
  return known || (await readdir(folder).catch(() => [])).length
}

function countNow(task: string): number {
  const folder = `/proc/${task}/fd`
  try {
    return statSync(folder).size || list(folder).length
  } catch {
    return 0 // the process has gone
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readNow(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    return nothingOf(error)
  }
}

function nothingOf(error: unknown): Buffer {
  return error instanceof Error && 'code' in error && error.code === 'EACCES' ? DENIED : NOTHING
}
