/** Flows, their checks and their runs as text for a terminal. */
import { printable } from '../../text/untrusted-text.ts'
import type {
  FlowCheck,
  FlowFinding,
  FlowForecast,
  FlowNodeView,
  FlowRun,
  FlowStep,
  FlowTrace,
  FlowValue,
  SavedFlow,
} from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import { sayTimes } from '../../text/say-times.ts'
import { sayRules } from '../../text/say-rules.ts'
import { showInterval } from '../../text/show-interval.ts'
import { showReceipts } from '../../text/show-receipts.ts'
import type { ShownWatch } from '../../api/watches.ts'
import type { ShownSchedule } from '../../ports/schedule-port.ts'
import { showResult } from '../../text/show-result.ts'
import { showUsage } from '../../text/token-usage.ts'
import { columns, printableLine } from '../output.ts'

type Rows = readonly (readonly string[])[]

/** Cells may hold untrusted text, so each is kept on one line. */
function table(rows: Rows): readonly string[] {
  return columns(rows.map((row) => row.map(printableLine)))
}

const SAVED_BY = '`cordon mcp call … --out FILE` saves it'

/** The result of the flow: its only output, the one called `result`, or all of them. */
export function showOutputs(outputs: Readonly<Record<string, Json>>): readonly string[] {
  const names = Object.keys(outputs)
  const [first] = names
  if (first === undefined) return []
  const main = (names.length === 1 ? outputs[first] : outputs['result']) ?? outputs
  return [printable(showResult(main, SAVED_BY))]
}

export function describeCheck(check: FlowCheck): readonly string[] {
  const { findings, needs, steps, safety, isSound } = check
  const missing = needs.map(({ name, type, required }) => [
    '  needs',
    name,
    type,
    required ? '' : '(optional)',
  ])
  return [
    ...findings.flatMap(describeFinding),
    ...table(missing),
    ...steps.flatMap(describeForecast),
    printableLine(
      `At most ${safety.effect}, with what is ${safety.level}${safety.sinks.length > 0 ? `, to ${safety.sinks.join(', ')}` : ''}.`,
    ),
    isSound ? 'It can run.' : 'It cannot run as it is.',
  ]
}

export function describeFinding(finding: FlowFinding): readonly string[] {
  const { severity, message, place, hint } = finding
  const where = place === '' ? '' : `${place}: `
  return [`${severity}: ${where}${message}`, ...(hint === '' ? [] : [`  hint: ${hint}`])].flatMap(
    (line) => line.split('\n').map(printableLine),
  )
}

const VERDICTS = { allow: 'runs', ask: 'asks you', deny: 'is refused' } as const

function describeForecast(step: FlowForecast): readonly string[] {
  const { node, tool, effect, verdict, reason, isCertain, args } = step
  const why = reason === undefined ? '' : `: ${reason}`
  const maybe = isCertain ? '' : ' (on some ways through the flow)'
  const rows = args.map(({ name, role, integrity, level, from }) => [
    `    ${name}`,
    role,
    integrity,
    level,
    from.length > 0 ? `from ${from.join(', ')}` : '',
  ])
  return [
    printableLine(`  ${node}: ${tool} (${effect}) ${VERDICTS[verdict]}${why}${maybe}`),
    ...table(rows),
  ]
}

export function describeRuns(runs: readonly FlowRun[]): readonly string[] {
  if (runs.length === 0) return ['Nothing has run yet. Try `cordon run NAME`.']
  return table(
    runs.map(({ id, state, startedAt, endedAt, flow, problem, question, kernel, waitsFor }) => [
      id,
      state,
      startedAt,
      endedAt === undefined ? '' : seconds(Date.parse(endedAt) - Date.parse(startedAt)),
      flow,
      problem?.message ?? question?.text ?? (waitsFor && `waits: ${waitsFor}`) ?? onKernel(kernel),
    ]),
  )
}

function onKernel(kernel: string | undefined): string {
  return kernel === undefined ? '' : `on ${kernel}`
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

export function describeTrace(trace: FlowTrace): readonly string[] {
  const { id, flow, state, principal, startedAt, steps, outputs, usage, kernel, waitsFor } = trace
  const head = [
    ['run', id],
    ['flow', flow],
    ['state', state],
    ['started', `${startedAt} by ${principal}`],
    ...(kernel === undefined ? [] : [['kernel', kernel]]),
    ...(waitsFor === undefined ? [] : [['waits', waitsFor]]),
    ...(usage ? [['models', showUsage(usage)]] : []),
  ]
  return [
    ...table(head),
    ...steps.flatMap(describeStep),
    ...describeEnd(trace),
    ...(outputs ? ['it gave:', ...showOutputs(outputs).map((line) => `  ${line}`)] : []),
  ]
}

/** Why a run ended, or which answer it still needs. */
export function describeEnd({ id, problem, question }: FlowRun): readonly string[] {
  const lines: string[] = []
  if (problem) {
    lines.push(`error: ${problem.message}`, `  hint: ${problem.hint.replace(/\bRUN\b/g, id)}`)
  }
  // The question may be untrusted text: kept on one line, no part of it can pass for a hint of Cordon.
  if (question) {
    const asked = printableLine(question.text)
    lines.push(`question: ${asked}`, `  hint: ${howToAnswer(id, question)}`)
  }
  return lines.flatMap((line) => line.split('\n').map(printableLine))
}

function howToAnswer(id: string, question: NonNullable<FlowRun['question']>): string {
  const { kind, choices, fields = [] } = question
  if (kind === 'input') {
    const names = fields.map(({ name }) => `${JSON.stringify(name)}: …`).join(', ')
    // The names are untrusted and the command is made to be copied, so single quotes are escaped.
    const value = `'{${names.replaceAll("'", String.raw`'\''`)}}'`
    return `Answer with \`cordon flow resume ${id} --value ${value}\`, or decline with \`--fail\``
  }
  const flags = choices.map((choice) => `--${choice}`).join(', ')
  return `Answer with \`cordon flow resume ${id}\` and one of ${flags}`
}

function describeStep(step: FlowStep): readonly string[] {
  const { node, round, item, state, problem, said = '' } = step
  const which = [...noted(round, 'round'), ...noted(item, 'item')]
  const name = which.length > 0 ? `${node} (${which.join(', ')})` : node
  const values = [
    ...step.args.map((one) => valueRow('<', one)),
    ...step.outputs.map((one) => valueRow('>', one)),
  ]
  return [
    printableLine(`  ${name}: ${[state, ...notesOf(step)].join(', ')}`),
    ...(problem === undefined ? [] : [printableLine(`    ${problem}`)]),
    ...(said === '' ? [] : ['    in its own words:', ...quoted(said)]),
    ...table(values),
  ]
}

/** Each line is marked, so that no line of a server can pass for one of Cordon's. */
function quoted(text: string): readonly string[] {
  return text.split('\n').map((line) => `    | ${printableLine(line)}`)
}

function notesOf(step: FlowStep): readonly string[] {
  const { tool, ms, wasCached, retries, action, disarmed, usage } = step
  return [
    ...noted(tool, ''),
    ...(ms === undefined ? [] : [seconds(ms)]),
    ...(wasCached ? ['cached'] : []),
    ...noted(disarmed, ''),
    ...noted(usage && showUsage(usage), ''),
    ...(retries ? [`${retries} retries`] : []),
    ...(action === 'default' ? [] : noted(action, 'action')),
  ]
}

function noted(value: string | number | undefined, word: string): readonly string[] {
  return value === undefined ? [] : [`${word} ${value}`.trimStart()]
}

function valueRow(arrow: string, value: FlowValue): readonly string[] {
  const { name, from, integrity, level, shown } = value
  return [
    `    ${arrow} ${name}`,
    `${integrity}, ${level}`,
    from === '' ? '' : `from ${from}`,
    shown,
  ]
}

export function describeSaved(flows: readonly SavedFlow[]): readonly string[] {
  if (flows.length === 0) return ['No flow is saved. Try `cordon flow save NAME FLOW`.']
  return table(
    flows.map(({ name, description, nodes, savedAt }) => [
      name,
      description || nodes.join(' >> '),
      savedAt,
    ]),
  )
}

export function describeNodes(nodes: readonly FlowNodeView[]): readonly string[] {
  if (nodes.length === 0) return ['No node fits. `cordon registry list` shows all of them.']
  return table(
    nodes.map(({ id, title, description, blocked }) => [
      id,
      (blocked === undefined ? description || title : `cannot be used: ${blocked}`).slice(0, 100),
    ]),
  )
}

export function describeWatches(watches: readonly ShownWatch[]): readonly string[] {
  if (watches.length === 0)
    return ['Nothing is watched. Say `tell me when ~/notes/todo.txt changes` in the chat.']
  return table(
    watches.map(({ number, about, everyMs, nextAt, hasFailed }) => [
      String(number),
      about,
      `every ${showInterval(everyMs)}`,
      hasFailed ? 'the last look failed' : `next ${nextAt}`,
    ]),
  )
}

export function describeSchedules(schedules: readonly ShownSchedule[]): readonly string[] {
  if (schedules.length === 0) return ['No flow is scheduled.']
  const lines = table(
    schedules.map(({ name, cron, timezone, template, sinks, next, problem }) => [
      name,
      `${sayTimes(cron)} (${timezone})`,
      `as ${template}`,
      `to ${sinks.join(', ')}`,
      problem ?? (next === undefined ? 'never again' : `next ${next}`),
    ]),
  )
  return schedules.flatMap((schedule, at) => {
    const { receipts = [], timezone, waiting } = schedule
    const last = showReceipts(receipts, timezone, Date.now())
    const more = waiting === undefined ? '' : `; ${waiting} waiting`
    return [lines[at] ?? '', `     ${sayRules(schedule)}${more}`, ...last.split('\n').slice(1)]
  })
}
