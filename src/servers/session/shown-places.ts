/**
 * The folders and files that are shown to a sandboxed server, by device and inode. A bind mount keeps what it was made
 * from: of a folder that was removed, or replaced under its name, the server would see an empty or outdated one and
 * answer from that. A file system that does not answer is not waited for.
 */
import { statSync, type Stats } from 'node:fs'
import { realpath, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { onceATurn } from '../../text/once-a-turn.ts'

const PATIENCE_MS = 200

export interface ShownPlaces {
  /** Whether a folder or file was removed or replaced since. Asked before every call; calls of one turn share a look. */
  areLost(): boolean | Promise<boolean>
}

type Identity = string | undefined

const NONE: ShownPlaces = { areLost: () => false }

/** As they are now: call it before the server is launched. */
export async function noteShownPlaces({
  command,
  sandbox,
}: Pick<ServerDefinition, 'command' | 'sandbox'>): Promise<ShownPlaces> {
  const paths = [...sandbox.readPaths, ...sandbox.writePaths]
  if (command === undefined || sandbox.mode === 'none' || paths.length === 0) return NONE
  const before = await identitiesOf(paths)
  const areOthers = (now: readonly Identity[]): boolean =>
    now.some((identity, at) => identity !== before[at])
  const local = await Promise.all(paths.map(isOnDisk))
  if (local.every(Boolean)) return { areLost: onceATurn(() => areOthers(paths.map(identityNow))) }
  const look = patientLook(paths)
  return { areLost: async () => areOthers((await look()) ?? before) }
}

/** The magic numbers of ext, Btrfs, XFS, F2FS, ZFS, overlayfs and tmpfs, which answer at once. */
const ON_DISK = new Set([
  0xef53, 0x9123683e, 0x58465342, 0xf2f52010, 0x2fc12fc1, 0x794c7630, 0x01021994,
])

/** Whether no file system on the way to a place can make a look at it wait, as one over a network can. */
async function isOnDisk(place: string): Promise<boolean> {
  try {
    const kinds = await Promise.all(waysTo(await realpath(place)).map((way) => statfs(way)))
    return kinds.every(({ type }) => ON_DISK.has(type))
  } catch {
    return false
  }
}

function waysTo(place: string): readonly string[] {
  const parent = path.dirname(place)
  return parent === place ? [place] : [...waysTo(parent), place]
}

function identityNow(place: string): Identity {
  try {
    return identityOf(statSync(place))
  } catch {
    return undefined
  }
}

/** Undefined: no answer in time. One look at a time, since each one that hangs takes a thread of Node's pool. */
function patientLook(paths: readonly string[]): () => Promise<readonly Identity[] | undefined> {
  let looking: Promise<readonly Identity[]> | undefined
  return async () => {
    looking ??= identitiesOf(paths).finally(() => {
      looking = undefined
    })
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(late.resolve, PATIENCE_MS, undefined)
    const found = await Promise.race([looking, late.promise])
    clearTimeout(timer)
    return found
  }
}

function identitiesOf(paths: readonly string[]): Promise<readonly Identity[]> {
  return Promise.all(paths.map((place) => stat(place).then(identityOf, () => undefined)))
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}
