/**
 * What a program may leave on a machine besides processes: mounts, sockets, cgroups, files. One line each, so that two
 * lists can be compared. Exact, because it runs where nobody else mounts, listens or writes (see `leaks.child.ts`).
 */
import { globSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The folders for things that are not meant to last, but for one that holds this very program. */
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

/** Of this network namespace: paths and abstract names, and whatever listens or is connected. */
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

/** TIME_WAIT: the Linux kernel's own memory of a connection that is no more. */
const ENDED = '06'

/** Those of our own Cordons, in every hierarchy. */
function cgroups(pids: ReadonlySet<number>): readonly string[] {
  return globSync('/sys/fs/cgroup/**/cordon-*')
    .filter((folder) => pids.has(Number(/cordon-(\d+)-/.exec(folder)?.[1])))
    .map((folder) => `cgroup ${folder}`)
}

function files(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const file = path.join(folder, name)
    return `${lstatSync(file).isSocket() ? 'socket' : 'file'} ${file}`
  })
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean)
}
