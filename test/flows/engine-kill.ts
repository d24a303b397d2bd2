/** What the processes that are killed, and the one that kills them, have in common: orders, and tools that leave a trace. */
import type { Json } from '../../src/text/json.ts'
import { addEffect, type TestTool } from './engine-house.ts'

/**
 * `between`: the step before is written down, and this one has not left. `before`: it has left, and nothing has happened.
 * `after`: it has happened, and nobody knows. `sleeps`: it has not left, and its process is stopped for a while.
 */
export type Moment = 'between' | 'before' | 'after' | 'sleeps'

export interface Orders {
  readonly folder: string
  readonly databaseUrl?: string
  readonly run: string
  /** To begin the run, and not only to go on with it. */
  readonly ir?: Json
  readonly dieAt?: { readonly step: number; readonly moment: Moment }
}

/** One that reads and one that writes; every effect is on disk before they answer. */
export function killTools(
  folder: string,
  die: (step: number, moment: Moment) => void = () => undefined,
): readonly TestTool[] {
  const work =
    (kind: string): TestTool['run'] =>
    ({ args }) => {
      const step = Number(args['step'])
      die(step, 'before')
      addEffect(folder, `${kind} ${step} ${Date.now()}`)
      die(step, 'after')
      return { step }
    }
  return [
    { name: 'read', effect: 'remote-read', args: { step: 'query' }, run: work('read') },
    { name: 'write', effect: 'write', args: { step: 'content' }, run: work('write') },
  ]
}
