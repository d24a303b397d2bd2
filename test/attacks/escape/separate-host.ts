/** A separate host process for attempts that kill it or give it a terminal, and how long it may take to clean up. */
import { writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Canaries } from './canaries.ts'
import type { Job } from './contained.child.ts'
import type { ContenderName } from './contenders.ts'

export const host: string = fileURLToPath(new URL('contained.child.ts', import.meta.url))

/** Cordon gets long, as a slow machine may need it to end a process; a naive contender's processes never end anyway. */
export function patienceMs(name: ContenderName): number {
  return name === 'cordon' ? 20_000 : 1_000
}

export function writeJob(canaries: Canaries, job: Job): string {
  const file = path.join(canaries.folder, `${job.name}-${randomUUID()}-job.json`)
  writeFileSync(file, JSON.stringify(job))
  return file
}
