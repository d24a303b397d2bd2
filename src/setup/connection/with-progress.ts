/**
 * Reports an installation that takes longer than a second: each step once, and how much of it is done, at first after
 * two seconds and then less and less often, so that a chat is not flooded.
 */
import type { InstallProgress } from '../../ports/catalog-port.ts'
import type { SetupDeps } from '../setup-deps.ts'

const PATIENCE_MS = 1000
const MOST_PAUSES = 8

export async function withProgress<T>(
  sleep: SetupDeps['sleep'],
  transcript: { say(text: string): void },
  work: (progress: InstallProgress) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  let now = { step: '', done: '' }
  const speak = async (): Promise<void> => {
    let said = now
    for (let pauses = 1, left = 0; ; left -= 1) {
      await sleep(PATIENCE_MS, over.signal)
      const isNew = now.step !== said.step
      if (!isNew && (left > 0 || now.done === said.done)) continue
      transcript.say(isNew ? `${now.step}...` : `… ${now.done}`)
      pauses = isNew ? 1 : Math.min(2 * pauses, MOST_PAUSES)
      left = pauses
      said = isNew ? { step: now.step, done: '' } : now
    }
  }
  speak().catch(() => undefined) // the aborted sleep ends the loop
  try {
    return await work((step, done = '') => {
      now = { step, done }
    })
  } finally {
    over.abort()
  }
}
