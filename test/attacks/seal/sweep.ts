/** Searches a whole sandbox from outside: the memory and environment of every process in it, and the files it can write. */
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
} from 'node:fs'
import path from 'node:path'

const WRITABLE = ['tmp', 'home/mcp', 'run', 'dev/shm', 'work', 'opt/cordon']
const PIECE = 4 * 2 ** 20

/** The places that hold the text: `memory of 3`, `environment of 3`, `file tmp/x`. `member`: any process inside. */
export function sweep(member: number, text: string): readonly string[] {
  const wanted = Buffer.from(text)
  const inside = membersOf(member)
  if (inside.length < 2) throw new Error('The sandbox has no processes to search')
  return [
    ...inside.flatMap((pid) => (memoryHolds(pid, wanted) ? [`memory of ${pid}`] : [])),
    ...inside.flatMap((pid) =>
      readFileSync(`/proc/${pid}/environ`).includes(wanted) ? [`environment of ${pid}`] : [],
    ),
    ...WRITABLE.flatMap((folder) => filesWith(`/proc/${member}/root/${folder}`, wanted)),
  ]
}

function membersOf(member: number): readonly number[] {
  const namespace = namespaceOf(member)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => namespaceOf(pid) === namespace)
}

function namespaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return 'gone'
  }
}

/** Regions without a page in memory are left out: they hold nothing, and Node reserves gigabytes of them. */
function memoryHolds(pid: number, wanted: Buffer): boolean {
  const regions = readFileSync(`/proc/${pid}/smaps`, 'latin1').matchAll(
    /^([0-9a-f]+)-([0-9a-f]+) r[^\n]*\n(?:(?!Rss)[^\n]*\n)*?Rss: +([1-9]\d*) kB/gm,
  )
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    return [...regions].some(([, from = '', to = '']) => {
      return regionHolds(memory, Number(`0x${from}`), Number(`0x${to}`), wanted)
    })
  } finally {
    closeSync(memory)
  }
}

/** Pieces overlap, so that no text is cut in two. */
function regionHolds(memory: number, from: number, to: number, wanted: Buffer): boolean {
  const piece = Buffer.alloc(PIECE + wanted.length)
  for (let at = from; at < to; at += PIECE) {
    const length = Math.min(piece.length, to - at)
    try {
      const read = readSync(memory, piece, 0, length, at)
      if (piece.subarray(0, read).includes(wanted)) return true
    } catch {
      // a region that went away, or one of the kernel's own ([vvar])
    }
  }
  return false
}

function filesWith(folder: string, wanted: Buffer): readonly string[] {
  let names: readonly string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const file = path.join(folder, name)
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (found?.isDirectory()) return filesWith(file, wanted)
    const isSmall = found?.isFile() === true && found.size < 10 * 2 ** 20
    return isSmall && readFileSync(file).includes(wanted) ? [`file ${file.split('/root/')[1]}`] : []
  })
}
