/**
 * Compares the mounts of a parked sandbox with the sources that were judged. Bubblewrap mounts by path, so a server that
 * swaps a folder for a link between the judgement and the mount would have another folder mounted; `--bind-fd` of later
 * versions makes the same comparison. Changes nothing.
 */
import { readFileSync } from 'node:fs'
import type { PinPath } from '../../ports/pinned-path-port.ts'
import type { Mount } from '../plan/mount.ts'

/** The target of the first mount that is missing or has another source; undefined if all are as they were judged. */
export function otherThanJudged(
  initPid: number,
  mounts: readonly Mount[],
  pinPath: PinPath,
): string | undefined {
  const points = mountPoints(initPid)
  const seenInside = (target: string) => pinPath(target, `/proc/${initPid}/root`)
  return mounts.find((mount) => !isAsJudged(mount, points, seenInside))?.target
}

/** It must be a mount point too: a folder that shows the right inode without one has its mount under another name. */
function isAsJudged(mount: Mount, points: ReadonlySet<string>, seenInside: PinPath): boolean {
  try {
    using found = seenInside(mount.target)
    return points.has(found.path) && found.identity === mount.identity
  } catch {
    return false
  }
}

/** The fifth field of each line; a space, tab, line break or backslash is written as an octal escape. */
function mountPoints(initPid: number): ReadonlySet<string> {
  const lines = readFileSync(`/proc/${initPid}/mountinfo`, 'utf8').split('\n')
  return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')))
}

function unescaped(point: string): string {
  return point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
}
