/** Processes of this machine, found by a mark in their command line, and waiting for them. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../fixtures/until.ts'

export async function read(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

/** But for our own. */
export function processesWith(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Where it does not come up, what is not found afterwards proves nothing. */
export async function mustAppear(mark: string): Promise<void> {
  await until(() => processesWith(mark).length > 0)
}

/** Whether all of them end without our doing anything about it. */
export async function endAlone(mark: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (processesWith(mark).length > 0) {
    if (performance.now() > deadline) return false
    await delay(10)
  }
  return true
}

export async function endAll(mark: string): Promise<void> {
  for (const pid of processesWith(mark)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // already gone
    }
  }
  await until(() => processesWith(mark).length === 0)
}
