/** The text in the box of a node: the forecast of the check before a run, the state of its steps in a run. Pure. */
import type { FlowCheck, FlowForecast, FlowStep } from '../../../ports/flow-port.ts'
import { type FlowShape, nodeAt } from './flow-shape.ts'

export interface NodeMark {
  readonly tone: 'plain' | 'good' | 'asks' | 'bad' | 'running'
  readonly text: string
}

export type NodeMarks = ReadonlyMap<string, NodeMark>

const EFFECTS: Readonly<Record<FlowForecast['effect'], string>> = {
  'local-read': 'only reads',
  'remote-read': 'only reads',
  write: 'changes things',
  destructive: 'cannot be undone',
  exec: 'runs commands',
}

export function checkMarks(shape: FlowShape, { findings, steps }: FlowCheck): NodeMarks {
  const forecasts = new Map(steps.map((step) => [step.node, step]))
  return new Map(
    shape.nodes.map(({ id }) => {
      const own = findings.filter(({ place }) => nodeAt(shape, place) === id)
      const error = own.find(({ severity }) => severity === 'error')
      const warning = own.find(({ severity }) => severity === 'warning')
      if (error) return [id, { tone: 'bad', text: `✗ ${error.message}` }]
      const forecast = forecasts.get(id)
      if (forecast && forecast.verdict !== 'allow') return [id, forecastMark(forecast)]
      if (warning) return [id, { tone: 'asks', text: `! ${warning.message}` }]
      return [id, forecast ? forecastMark(forecast) : { tone: 'plain', text: '' }]
    }),
  )
}

function forecastMark({ verdict, effect, isCertain }: FlowForecast): NodeMark {
  const maybe = isCertain ? '' : ', on some ways'
  if (verdict === 'deny') return { tone: 'bad', text: `✗ is refused${maybe}` }
  if (verdict === 'ask') return { tone: 'asks', text: `? asks you${maybe}: ${EFFECTS[effect]}` }
  return { tone: 'good', text: `✓ ${EFFECTS[effect]}` }
}

const STATES = {
  done: ['good', '✓ done'],
  failed: ['bad', '✗ failed'],
  skipped: ['plain', '– skipped'],
  running: ['running', '… running'],
  ambiguous: ['asks', '? not known whether it happened'],
} as const

/** The last step of a node decides; the times of all its steps are added up. */
export function runMarks(steps: readonly FlowStep[]): NodeMarks {
  const byNode = Map.groupBy(steps, ({ node }) => node)
  return new Map(
    Array.from(byNode, ([node, own]) => {
      const unfinished = own.find(({ state }) => state !== 'done' && state !== 'skipped')
      const [tone, state] = STATES[(unfinished ?? own.at(-1))?.state ?? 'done']
      const ms = own.reduce((sum, step) => sum + (step.ms ?? 0), 0)
      const often = own.length > 1 ? `${own.length} times` : undefined
      const time = unfinished?.state === 'running' || ms === 0 ? undefined : sayDuration(ms)
      return [node, { tone, text: [state, often, time].filter(Boolean).join(' · ') }]
    }),
  )
}

export function sayDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
