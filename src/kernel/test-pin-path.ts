/**
 * For tests within a room, which cannot see `home/`: follows links by name, so a swap between two steps is not noticed.
 * The attacks and all tests below `test/` use the real `pinPath`.
 */
import { lstatSync, readlinkSync } from 'node:fs'
import path from 'node:path'

interface Pinned extends Disposable {
  readonly path: string
  readonly identity: string
  readonly linkFolders: readonly string[]
  readonly heldAt: string
}

export function pinByName(wanted: string, root = ''): Pinned {
  const steps = wanted.split('/').filter(Boolean)
  const linkFolders: string[] = []
  let at = '/'
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const next = path.join(at, step)
    if (lstatSync(root + next).isSymbolicLink()) {
      const target = readlinkSync(root + next)
      linkFolders.push(at)
      steps.unshift(...target.split('/').filter(Boolean))
      if (path.isAbsolute(target)) at = '/'
    } else at = next
  }
  const { dev, ino } = lstatSync(root + at, { bigint: true })
  const identity = `${dev}:${ino}`
  return { path: at, identity, linkFolders, heldAt: at, [Symbol.dispose]: () => undefined }
}
