/** Finds processes of this machine by a mark in their command line, and waits for them to start or end. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../fixtures/until.ts'

export async function read(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

/** Pids of all processes with the mark in their command line, except this process. */
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

/** Waits until the process has started: without that, its absence afterwards would prove nothing. */
export async function mustAppear(mark: string): Promise<void> {
  await until(() => processesWith(mark).length > 0)
}

/** Whether all processes with the mark end within the time, without being signalled from here. */
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
