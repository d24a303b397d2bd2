/**
 * A file or folder held by its descriptor. Every component of the path is opened without following links, from the
 * descriptor of the one before; a link is read and then walked in the same way. So the judged path is the path of
 * the held inode, also while somebody swaps a folder for a link. Reads no content.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import type { PinnedPath } from '../ports/pinned-path-port.ts'

/** Linux' O_PATH, which Node does not name: a descriptor to walk from and to compare, without any right to read. */
const O_PATH = 0o10_000_000
/** As many as the Linux kernel follows. */
const MOST_LINKS = 40

export function pinPath(wanted: string, root = '/'): PinnedPath {
  const steps = wanted.split('/').filter(Boolean)
  const linkFolders: string[] = []
  let at = '/'
  let held = openSync(root, O_PATH | constants.O_DIRECTORY)
  try {
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      const next = openSync(`${byDescriptor(held)}/${step}`, O_PATH | constants.O_NOFOLLOW)
      if (!fstatSync(next).isSymbolicLink()) {
        closeSync(held)
        held = next
        at = path.join(at, step)
        continue
      }
      closeSync(next)
      const target = readlinkSync(`${byDescriptor(held)}/${step}`)
      linkFolders.push(at)
      if (linkFolders.length > MOST_LINKS) throw problem('ELOOP', wanted)
      steps.unshift(...target.split('/').filter(Boolean))
      if (!path.isAbsolute(target)) continue
      closeSync(held)
      held = openSync(root, O_PATH | constants.O_DIRECTORY)
      at = '/'
    }
    // A folder that was moved meanwhile has another path than the one that was walked.
    if (root === '/' && readlinkSync(byDescriptor(held)) !== at) throw problem('ESTALE', wanted)
    const { dev, ino } = fstatSync(held, { bigint: true })
    return {
      path: at,
      identity: `${dev}:${ino}`,
      linkFolders,
      heldAt: byDescriptor(held),
      [Symbol.dispose]: () => closeSync(held),
    }
  } catch (error) {
    closeSync(held)
    throw error
  }
}

function byDescriptor(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

function problem(code: string, wanted: string): Error {
  return Object.assign(new Error(`${code}: ${wanted}`), { code })
}
