/** Builds the request to a planner, and opens the values behind the handles of a plan, which no planner sees. */
import type { PlanRequest } from './plan-port.ts'
import { conversationOf, type Message } from '../kernel/receive.ts'
import { Labelled } from '../labels/labelled.ts'
import { PASTED_LABEL } from './pasted-label.ts'
import { MOST_ROUNDS, type Progress } from './progress.ts'
import type { TurnDeps } from './turn-deps.ts'

/** Of history, for a prompt. */
const MOST_TURNS = 20

/** The words of a message, and the texts that were pasted into it. */
interface Asked {
  readonly words: string
  readonly pastes: readonly string[]
  readonly message: Message
}

export async function planRequest(
  deps: TurnDeps,
  { words, pastes, message }: Asked,
  { rounds }: Progress,
): Promise<PlanRequest & Required<Pick<PlanRequest, 'earlier'>>> {
  const conversation = conversationOf(message)
  const results = await deps.memory.results(conversation)
  const pasted = pastes.map((_text, at) => ({ name: `paste${at + 1}`, type: 'text' }) as const)
  const { timezone } = deps
  const handles = [...results, ...pasted]
  let read: ReturnType<typeof deps.memory.turns> | undefined
  const earlier = () => (read ??= deps.memory.turns(MOST_TURNS, conversation))
  const request = { words, handles, now: deps.now(), timezone, earlier }
  if (rounds.length === 0) return request
  return { ...request, rounds, ...(rounds.length >= MOST_ROUNDS - 1 && { isLastRound: true }) }
}

/** A pasted text may be anybody's; a result keeps the label it came with. */
export async function valuesOf(
  { memory }: TurnDeps,
  names: readonly string[],
  pastes: readonly string[],
): Promise<Readonly<Record<string, Labelled>>> {
  const values: Record<string, Labelled> = {}
  for (const name of names) {
    const at = /^paste(\d+)$/.exec(name)?.[1]
    const text = at === undefined ? undefined : pastes[Number(at) - 1]
    const value = text === undefined ? await memory.value(name) : new Labelled(text, PASTED)
    if (value) values[name] = value
  }
  return values
}

const PASTED = {
  label: PASTED_LABEL,
  from: { kind: 'host', what: 'a pasted text' },
} as const
