/** An acquirer on a stage: signing in as the tests of connections see it. */
import { CordonError } from '../../src/kernel/error.ts'
import type { Acquired, Acquirer, AcquirePrompt } from '../../src/setup/connection/acquirer.ts'
import type { OwnedSetup } from '../../src/setup/create-setup.ts'
import { messageIn, NEVER, settle, textOf, type World } from './fake-world.ts'

export const DEVICE = {
  kind: 'device',
  url: 'https://github.test/device',
  code: 'WDJB-MJHT',
} as const

interface Stage {
  readonly acquirer: Acquirer
  readonly outcomes: PromiseWithResolvers<Acquired>[]
  readonly signals: AbortSignal[]
}

/** An acquirer whose outcome the test decides. */
export function createStage(prompt: AcquirePrompt | 'none' = DEVICE): Stage {
  const outcomes: PromiseWithResolvers<Acquired>[] = []
  const signals: AbortSignal[] = []
  const acquirer: Acquirer = {
    wantsMore: async () => false,
    takeCallback: () => 'other',
    async start(_request, onPrompt, signal) {
      const outcome = Promise.withResolvers<Acquired>()
      outcomes.push(outcome)
      signals.push(signal)
      if (prompt !== 'none') onPrompt(prompt)
      signal.addEventListener('abort', () => outcome.resolve({ kind: 'failed', reason: 'aborted' }))
      return await outcome.promise
    },
  }
  return { acquirer, outcomes, signals }
}

export async function send(
  world: World,
  setup: OwnedSetup,
  text: string,
): Promise<string | undefined> {
  const answer = textOf(await setup.take(messageIn(world, text), NEVER))
  await settle()
  return answer
}

export function unauthorized(): CordonError {
  return new CordonError(
    'servers.unauthorized',
    { exit: 3, hint: 'Check the credentials' },
    'Cannot use server "tracker": it does not accept the credentials',
  )
}
