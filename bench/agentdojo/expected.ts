/**
 * The result of the last accepted measurement: the tasks without a question, the rules that ask, the values that an
 * attacker controls. Compared exactly and both ways, because a broken policy that asks less looks better by every other figure.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Measured } from './measure-flows.ts'

const FILE = new URL('expected.json', import.meta.url)

/** By suite, variant and setting. */
export type Expectation = Readonly<Record<string, Expected>>

export interface Expected {
  /** Ids of the tasks without a question, without their prefix. */
  readonly free: string
  /** How many calls each rule asked about, over all tasks. */
  readonly rules: Readonly<Record<string, number>>
  readonly questions: number
  readonly targets: number
  readonly guards: number
  readonly crossings: number
  /** Absent where only some of the pairs were measured. */
  readonly attacks?: string
}

export function expectationOf(measured: readonly Measured[]): Expectation {
  return Object.fromEntries(measured.map((one) => [nameOf(one), found(one)]))
}

function nameOf({ suite, variant, setting }: Measured): string {
  return `${suite}, ${variant}, ${setting}`
}

function found({ tasks, attacks }: Measured): Expected {
  const rules = new Map<string, number>()
  for (const rule of tasks.flatMap((task) => task.rules)) {
    rules.set(rule, (rules.get(rule) ?? 0) + 1)
  }
  const sum = (of: (task: Measured['tasks'][number]) => number): number =>
    tasks.reduce((total, task) => total + of(task), 0)
  const { automatic, partial, prompted, blocked } = attacks
  return {
    free: tasks
      .filter(({ prompts, isCompleted }) => isCompleted && prompts === 0)
      .map(({ id }) => id.replace(/^user_task_/, ''))
      .join(' '),
    rules: Object.fromEntries([...rules].sort(([a], [b]) => a.localeCompare(b))),
    questions: sum(({ prompts }) => prompts),
    targets: sum(({ targets }) => targets.length),
    guards: sum(({ guards }) => guards.length),
    crossings: sum(({ crossings }) => crossings.length),
    attacks: `${automatic} automatic, ${partial} in part, ${prompted} prompted, ${blocked} blocked`,
  }
}

/** One sentence for each difference. Pairs are compared only where all of them were measured. */
export function surprisesIn(measured: readonly Measured[], isQuick: boolean): readonly string[] {
  const wanted = JSON.parse(readFileSync(FILE, 'utf8')) as Expectation
  return Object.entries(expectationOf(measured)).flatMap(([name, now]) => {
    const then = wanted[name]
    if (!then) return [`${name}: nothing is expected of it`]
    const keys = Object.keys(now) as (keyof Expected)[]
    return keys
      .filter((key) => !(isQuick && key === 'attacks'))
      .filter((key) => JSON.stringify(now[key]) !== JSON.stringify(then[key]))
      .map((key) => `${name}: ${key} ${JSON.stringify(then[key])} → ${JSON.stringify(now[key])}`)
  })
}

export function writeExpectation(measured: readonly Measured[]): void {
  writeFileSync(FILE, `${JSON.stringify(expectationOf(measured), null, 2)}\n`)
}
