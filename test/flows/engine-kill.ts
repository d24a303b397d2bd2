/** Shared by the processes that are killed and the test that kills them: their orders, and tools that leave a trace. */
import type { Json } from '../../src/text/json.ts'
import { addEffect, type TestTool } from './engine-house.ts'

/**
 * `between`: the previous step is recorded and this call not sent yet. `before`: the call is sent, without effect yet.
 * `after`: the effect has happened, but the answer is lost. `sleeps`: the call is not sent, and its process is paused.
 */
export type Moment = 'between' | 'before' | 'after' | 'sleeps'

export interface Orders {
  readonly folder: string
  readonly databaseUrl?: string
  readonly run: string
  /** The flow to start; absent when the process only resumes the run. */
  readonly ir?: Json
  readonly dieAt?: { readonly step: number; readonly moment: Moment }
}

/** A tool that reads and a tool that writes; every effect is on disk before the tool answers. */
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
