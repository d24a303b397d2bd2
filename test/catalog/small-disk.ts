/** A home on a disk of its own, for tests of full disks. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { after } from 'node:test'

/** On a tmpfs, which no other process fills or frees; on the shared disk if mounting is forbidden. */
export function homeOnDisk(megabytes: number): { readonly home: string; readonly isOwn: boolean } {
  const home = mkdtempSync('/var/tmp/cordon-disk-')
  const size = `size=${megabytes}m,mode=700`
  const isOwn = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', home]).status === 0
  after(() => {
    if (isOwn) execFileSync('umount', [home])
    rmSync(home, { recursive: true })
  })
  return { home, isOwn }
}
