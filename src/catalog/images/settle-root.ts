/**
 * Makes the unpacked root fit for a sandbox: the folders and files at which something is mounted exist and are real, no
 * list of libraries to load first stays, and the user of the image is known by number. Runs in the install sandbox.
 */
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ImageError } from './image-error.ts'
import type { ImageSettings } from './image-job.ts'
import { isPlain, makeFolder } from './place-in-root.ts'

/** Mounted at by every sandbox of an image. */
const FOLDERS = ['etc', 'home/mcp', 'opt/cordon']
const FILES = ['etc/passwd', 'etc/group', 'etc/hosts', 'etc/resolv.conf']
/** The loader obeys it in the first program inside too, which has set no limit and no Landlock rule by then. */
const PRELOADED = 'etc/ld.so.preload'

/**
 * Gives the volumes where they really lie: a link in the path of one would be followed on this machine while the sandbox
 * is made.
 */
export function settleRoot(
  root: string,
  { volumes, workingFolder }: Pick<ImageSettings, 'volumes' | 'workingFolder'>,
): readonly string[] {
  for (const folder of FOLDERS) {
    if (!isPlain(root, folder.split('/'))) {
      throw new ImageError('bad-package', `its /${folder.split('/')[0]} is a link or a file`)
    }
    makeFolder(root, folder.split('/'))
  }
  for (const file of FILES) {
    const full = path.join(root, file)
    if (lstatSync(full, { throwIfNoEntry: false })?.isFile() === true) continue
    rmSync(full, { recursive: true, force: true })
    writeFileSync(full, '', { mode: 0o644 })
  }
  rmSync(path.join(root, PRELOADED), { recursive: true, force: true })
  makeFolder(root, workingFolder.split('/'))
  const real = volumes.map((place) => makeFolder(root, place.split('/')).slice(root.length))
  return [...new Set(real)]
}

/** `node`, `1000`, `1000:1000` or nothing, which is root, as two numbers. Call it before the files are settled. */
export function userIn(root: string, written: string): [number, number] {
  const [user = '', group] = written.split(':')
  if (user === '') return [0, 0]
  const account = find(root, 'etc/passwd', user)
  const uid = numberOf(user, account)
  const gid =
    group === undefined
      ? Number(account?.[3] ?? 0)
      : numberOf(group, find(root, 'etc/group', group))
  const isUsable = [uid, gid].every((id) => Number.isInteger(id) && id >= 0 && id < 2 ** 31)
  if (!isUsable) throw new ImageError('bad-package', 'it runs as a user that it does not have')
  return [uid, gid]
}

function numberOf(written: string, row: readonly string[] | undefined): number {
  return Number(/^\d+$/.test(written) ? written : row?.[2])
}

/** The line whose name, or number, this is. */
function find(root: string, file: string, wanted: string): readonly string[] | undefined {
  const full = path.join(root, file)
  if (!isPlain(root, ['etc']) || lstatSync(full, { throwIfNoEntry: false })?.isFile() !== true) {
    return undefined
  }
  const lines = readFileSync(full, 'utf8').split('\n')
  const rows = lines.map((line) => line.split(':'))
  return rows.find(([name]) => name === wanted) ?? rows.find(([, , id]) => id === wanted)
}
