/** Reports the current step of an installation once it takes longer than a second. */
import type { InstallProgress } from '../../kernel/catalog-port.ts'
import type { SetupDeps } from '../setup-deps.ts'

const PATIENCE_MS = 1000

export async function withProgress<T>(
  sleep: SetupDeps['sleep'],
  transcript: { say(text: string): void },
  work: (progress: InstallProgress) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  let step = ''
  const speak = async (): Promise<void> => {
    for (let said = ''; ; ) {
      await sleep(PATIENCE_MS, over.signal)
      if (step !== said) transcript.say(`${step}...`)
      said = step
    }
  }
  speak().catch(() => undefined) // the aborted sleep ends the loop
  try {
    return await work((name) => {
      step = name
    })
  } finally {
    over.abort()
  }
}
