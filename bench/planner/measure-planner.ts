/** Measures a planner on one half of the requests: tools, arguments, refusals. Decides nothing about bars. */
import type {
  Planned,
  PlannedStep,
  PlannedValue,
  PlanRequest,
} from '../../src/pipeline/plan-port.ts'
import { showTool, type ToolId } from '../../src/kernel/tool-id.ts'
import type { OfflinePlanner } from '../../src/pipeline/offline/create-offline-planner.ts'
import type { Json } from '../../src/text/json.ts'

export interface FittingRequest {
  readonly say: string
  /** The tools that are a good first step. */
  readonly any: readonly string[]
  /** The tools that are a good second step. */
  readonly then?: readonly string[]
  /** By argument, the values that are right. Absent: the sentence does not hold all that is required. */
  readonly args?: Readonly<Record<string, readonly Json[]>>
}

export interface RequestHalf {
  readonly fits: readonly FittingRequest[]
  /** No tool fits them. */
  readonly unfit: readonly string[]
  /** They forbid a write, or only ask about one. */
  readonly unasked: readonly string[]
}

export interface Measured {
  readonly first: number
  readonly amongThree: number
  /** Requests whose planned tool is right. */
  readonly planned: number
  readonly rightArguments: number
  /** Requests that hold all that is required, and were planned without a question. */
  readonly complete: number
  readonly completePlanned: number
  readonly writesUnasked: number
  readonly notPlanned: number
  readonly failures: readonly string[]
}

/** A Monday. */
export const NOW: number = Date.UTC(2026, 10, 16, 12)

export function requestOf(words: string): PlanRequest {
  return { words, handles: [], now: NOW, timezone: 'UTC' }
}

interface Seen {
  readonly isFirst: boolean
  readonly isAmongThree: boolean
  readonly isPlanned: boolean
  readonly hasArguments: boolean
  readonly failure?: string
}

export interface MeasureDeps {
  readonly planner: OfflinePlanner
  requiredOf(tool: ToolId): readonly string[]
  isRead(tool: ToolId): boolean
}

const never = new AbortController().signal

export async function measurePlanner(deps: MeasureDeps, half: RequestHalf): Promise<Measured> {
  const seen = await Promise.all(half.fits.map((one) => seeOne(deps, one)))
  const failures = seen.flatMap(({ failure }) => failure ?? [])
  const count = (is: (one: Seen) => boolean): number => seen.filter(is).length
  const complete = seen.filter((_, at) => half.fits[at]?.args !== undefined)
  let notPlanned = 0
  for (const words of half.unfit) {
    const planned = await deps.planner.plan(requestOf(words), never)
    if (planned.kind !== 'plan') notPlanned += 1
    else failures.push(`planned ${JSON.stringify(words)}: ${showPlan(planned)}`)
  }
  let writesUnasked = 0
  for (const words of half.unasked) {
    const planned = await deps.planner.plan(requestOf(words), never)
    if (planned.kind !== 'plan') continue
    const writes = planned.plan.steps.filter(({ tool }) => !deps.isRead(tool))
    writesUnasked += writes.length > 0 ? 1 : 0
    failures.push(
      `${writes.length > 0 ? 'WROTE' : 'read'} ${JSON.stringify(words)}: ${showPlan(planned)}`,
    )
  }
  return {
    first: count(({ isFirst }) => isFirst) / seen.length,
    amongThree: count(({ isAmongThree }) => isAmongThree) / seen.length,
    planned: count(({ isPlanned, isFirst }) => isPlanned && isFirst),
    rightArguments: count(
      ({ isPlanned, isFirst, hasArguments }) => isPlanned && isFirst && hasArguments,
    ),
    complete: complete.length,
    completePlanned: complete.filter(
      ({ isPlanned, isFirst, hasArguments }) => isPlanned && isFirst && hasArguments,
    ).length,
    writesUnasked,
    notPlanned: notPlanned / half.unfit.length,
    failures,
  }
}

async function seeOne(deps: MeasureDeps, wanted: FittingRequest): Promise<Seen> {
  const planned = await deps.planner.plan(requestOf(wanted.say), never)
  const best = (await deps.planner.rank(requestOf(wanted.say), 3)).map(showTool)
  const isFirst = isRightTool(planned, wanted, best)
  const [first] = stepsOf(planned)
  const required = first ? deps.requiredOf(first.tool) : []
  const seen = {
    isFirst,
    isAmongThree: isFirst || best.some((tool) => wanted.any.includes(tool)),
    isPlanned: planned.kind === 'plan',
    hasArguments: required.every((name) => isRight(first?.args[name], wanted.args?.[name])),
  }
  const fault = faultOf(seen, wanted)
  const shown = `${JSON.stringify(wanted.say)}: ${showPlan(planned)} | ${best.join(' ')}`
  return fault === undefined ? seen : { ...seen, failure: `${fault} ${shown}` }
}

/** A plan counts as what it would do: its tools in their order, and no step more. A question by the tool it is about. */
function isRightTool(planned: Planned, wanted: FittingRequest, best: readonly string[]): boolean {
  if (planned.kind === 'question') return wanted.any.includes(best[0] ?? '')
  const [first, second, ...more] = stepsOf(planned).map(({ tool }) => showTool(tool))
  if (first === undefined || !wanted.any.includes(first) || more.length > 0) return false
  return wanted.then ? wanted.then.includes(second ?? '') : second === undefined
}

function stepsOf(planned: Planned): readonly PlannedStep[] {
  return planned.kind === 'plan' ? planned.plan.steps : []
}

function faultOf(
  { isFirst, isPlanned, hasArguments }: Seen,
  { args }: FittingRequest,
): string | undefined {
  if (!isFirst) return 'TOOL'
  if (isPlanned) return hasArguments ? undefined : 'ARGS'
  return args ? 'ASKS' : undefined
}

function isRight(value: PlannedValue | undefined, wanted: readonly Json[] | undefined): boolean {
  if (value?.kind !== 'literal' || wanted === undefined) return false
  const plain = (one: Json): string =>
    (typeof one === 'string' ? one : JSON.stringify(one)).toLowerCase()
  const got = plain(value.value)
  // A moment may name its seconds and its zone.
  return wanted.some(
    (one) =>
      got === plain(one) || (/^\d{4}-\d\d-\d\dt/.test(plain(one)) && got.startsWith(plain(one))),
  )
}

function showPlan(planned: Planned): string {
  if (planned.kind === 'question') return `asks: ${planned.text}`
  if (planned.kind !== 'plan') return planned.kind
  const shown = stepsOf(planned).map(
    ({ tool, args }) => `${showTool(tool)} ${JSON.stringify(args)}`,
  )
  return shown.join(' >> ')
}
