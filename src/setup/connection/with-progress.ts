/** Says what is being done, as soon as a step takes longer than a person waits without wondering. */
import type { InstallProgress } from '../../kernel/catalog-port.ts'
import type { SetupDeps } from '../setup-deps.ts'

const PATIENCE_MS = 1000

export async function withProgress<T>(
  sleep: SetupDeps['sleep'],
  voice: { say(text: string): void },
  work: (progress: InstallProgress) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  let step = ''
  const speak = async (): Promise<void> => {
    for (let said = ''; ; ) {
      await sleep(PATIENCE_MS, over.signal)
      if (step !== said) voice.say(`${step}...`)
      said = step
    }
  }
  speak().catch(() => undefined) // it ends when the sleep is aborted
  try {
    return await work((name) => {
      step = name
    })
  } finally {
    over.abort()
  }
}
