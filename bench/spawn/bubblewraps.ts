/** The processes of bubblewrap on this machine, and the memory of one. */
import { readdirSync, readFileSync } from 'node:fs'

export function bubblewraps(): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^bwrap$/m.test(readText(`/proc/${pid}/comm`)))
}

export function proportionalSize(pid: string): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1]
  return Number(kilobytes ?? 0) * 1024
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
