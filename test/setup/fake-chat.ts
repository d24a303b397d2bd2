/** A private chat of the owner with a world of fakes, and two tokens: one that works and one that does not. */
import type { OwnedSetup } from '../../src/setup/create-setup.ts'
import { createWorld, messageIn, NEVER, settle, textOf, type World } from './fake-world.ts'

export const GOOD = 'ntn_265011aBcDeFgHiJkLmNoPqRsTuVwXyZ'
export const BAD = 'ntn_000000aBcDeFgHiJkLmNoPqRsTuVwXyZ'

/** The end of the last message, after a failure that leaves the definition of Notion there. */
export const KEPT =
  '.\nIt is kept as `notion`, disabled: `cordon mcp logs notion` in another terminal shows what it wrote, `cordon mcp edit notion` in another terminal changes it, `connect notion` tries again.'

interface Chat {
  readonly world: World
  readonly setup: OwnedSetup
  /** The answer; undefined where setup does not take the message. */
  readonly send: (text: string) => Promise<string | undefined>
}

export function openChat(parts: Parameters<World['open']>[0] = {}): Chat {
  const world = createWorld()
  world.accepted.add(GOOD)
  const setup = world.open(parts)
  return {
    world,
    setup,
    send: async (text) => {
      const answer = textOf(await setup.take(messageIn(world, text), NEVER))
      await settle()
      return answer
    },
  }
}
