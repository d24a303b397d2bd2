/**
 * Traces that a program may leave on a machine besides processes: mounts, sockets, cgroups, files. One line each, so
 * that two lists can be compared. Exact, because it runs in namespaces that no other program uses (`leaks.child.ts`).
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { findCgroupParent } from '../../src/sandbox/launch/cgroup.ts'

/** The folders for temporary files, except a folder that holds this program or Node itself. */
export const PLACES: readonly string[] = ['/tmp', '/var/tmp', '/dev/shm'].filter((place) => {
  return ![import.meta.filename, process.execPath].some((file) => file.startsWith(`${place}/`))
})

export function traces(pids: ReadonlySet<number>): readonly string[] {
  return [...mounts(), ...sockets(), ...cgroups(pids), ...PLACES.flatMap(files)]
}

export function added(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Set(before)
  return after.filter((trace) => !known.has(trace))
}

function mounts(): readonly string[] {
  return linesOf('/proc/self/mountinfo').map((line) => {
    const [, , , root = '', target = ''] = line.split(' ')
    return `mount ${root} on ${target}`
  })
}

/** Sockets of this network namespace: paths and abstract names, and every listening or connected port. */
function sockets(): readonly string[] {
  const named = linesOf('/proc/net/unix').flatMap((line) => line.split(/\s+/).slice(7))
  const inet = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((kind) => {
    const rows = linesOf(`/proc/net/${kind}`).slice(1)
    return rows.map((row) => row.trim().split(/\s+/)).filter(([, , , state]) => state !== ENDED)
  })
  return [...named, ...inet.map(([, local, remote]) => `${local} ${remote}`)].map(
    (name) => `socket ${name}`,
  )
}

/** TIME_WAIT: a closed connection that only the Linux kernel still remembers. */
const ENDED = '06'

/**
 * The cgroups of the Cordons with these pids. Only below this process's own cgroup, where its Cordons make theirs: a
 * group elsewhere may carry the same pid, reused since another program of the machine left it.
 */
function cgroups(pids: ReadonlySet<number>): readonly string[] {
  const parent = findCgroupParent()?.folder
  if (parent === undefined) return []
  return readdirSync(parent)
    .filter((name) => pids.has(Number(/^cordon-(\d+)-/.exec(name)?.[1])))
    .map((name) => `cgroup ${path.join(parent, name)}`)
}

/** A kill in the middle of a line of the audit log: the next start cuts the line off and keeps its bytes on purpose. */
const KEPT = /\/audit\/torn-\d+T\d+Z\.part$/

function files(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => !KEPT.test(file))
    .map((file) => `${lstatSync(file).isSocket() ? 'socket' : 'file'} ${file}`)
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean)
}
