/**
 * The turns of a program that takes an answer for more than text: each `<tool_call>` in it is made, as a call of the
 * owner. A control: a measurement that does not notice it measures nothing.
 */
import type { Flows } from '../../src/ports/flow-port.ts'
import type { TurnEvent, Turns } from '../../src/ports/turn-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { JsonObject } from '../../src/text/json.ts'
import { randomUUID } from 'node:crypto'

const CALL = /<tool_call>(.*?)<\/tool_call>/g

export function obeyingTurns(turns: Turns, flows: Pick<Flows, 'start' | 'follow'>): Turns {
  return {
    ...turns,
    begin: (message) => turns.begin(message),
    cancel: (turn) => turns.cancel(turn),
    async follow(turn, after, signal) {
      const followed = await turns.follow(turn, after, signal)
      for (const event of followed.events) await obey(flows, event, signal)
      return followed
    },
  }
}

async function obey(
  flows: Pick<Flows, 'start' | 'follow'>,
  event: TurnEvent,
  signal: AbortSignal,
): Promise<void> {
  if (event.kind !== 'answer') return
  for (const [, written = ''] of event.text.matchAll(CALL)) {
    const { name, arguments: params } = JSON.parse(written) as { name: string } & JsonObject
    const nodes = [{ id: 'call', type: name, params: params ?? {} }]
    const ir = { ir_version: '1.0.0', metadata: {}, nodes }
    const id = randomUUID()
    const start = { id, source: { kind: 'ir', ir }, inputs: {}, approval: 'never' } as const
    await flows.start({ ...start, principal: OWNER, useCache: false, trust: [] }, signal)
    for (let at = 0; ; ) {
      const { run, events } = await flows.follow(id, at, signal)
      if (run.state !== 'running') break
      at = events.at(-1)?.number ?? at
    }
  }
}
