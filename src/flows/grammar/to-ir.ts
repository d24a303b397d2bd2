/**
 * Converts a parsed flow and the shapes of its nodes to IR: typed values become inputs with a default, missing ones
 * become required inputs. Returns every problem it finds, or the IR. Pure; asks the owner nothing.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import {
  type DeclaredInputs,
  declaredInputs,
  inputComplaints,
  neededInputs,
} from './declared-inputs.ts'
import type { Clauses, EachClause, FlowText, Step } from './flow-text.ts'
import { type GivenData, type GivenStep, giveData, type MissingInput } from './give-data.ts'
import type { Describe } from './node-shape.ts'
import { type Edge, type PlacedFlow, placeSteps } from './place-steps.ts'
import { type Complaint, type GrammarProblem, hintToward, problemIn } from './problem.ts'
import {
  type FlagWords,
  MOST_COMPLAINTS,
  readStepFlags,
  type StepValues,
} from './read-step-flags.ts'

export interface IrOptions extends Partial<FlagWords> {
  /** Whether standard input is piped. */
  readonly stdin?: boolean
  /** "Did you mean": names of nodes that are similar to an unknown name, or that it may abbreviate. */
  readonly suggestNodes?: (typed: string) => readonly string[]
  /** The hint for a node of a server of which no tool is known. */
  readonly hintFor?: (typed: string) => string | undefined
}

export type IrResult =
  | { readonly kind: 'ir'; readonly reading: FlowReading }
  | { readonly kind: 'problems'; readonly problems: readonly GrammarProblem[] }

export interface FlowReading {
  /** `ir_version`, `inputs`, `nodes`, `edges`, `mappings`. */
  readonly ir: JsonObject
  /** The typed values by key of the store; equal to the defaults of the inputs. */
  readonly data: Readonly<Record<string, Json>>
  /** The input that takes standard input. */
  readonly stdin?: MissingInput
  /** Inputs that still need a value, in the order of the steps. */
  readonly missing: readonly MissingInput[]
}

export function toIr(flow: FlowText, describe: Describe, options: IrOptions = {}): IrResult {
  const { suggestFlags = nothing, suggestNodes = nothing, hintFor } = options
  const words: FlagWords = { suggestFlags }
  const placed = placeSteps(flow, describe, (step) => {
    const complaint = unknownNode(step, suggestNodes(step.name))
    return { ...complaint, hint: hintFor?.(step.name) ?? complaint.hint }
  })
  const steps = readSteps(placed, words)
  const ids = new Set(placed.steps.map(({ id }) => id))
  const complaints = [
    ...placed.complaints,
    ...inputComplaints(flow, ids),
    ...steps.flatMap(({ values }) => values.complaints),
  ]
  if (complaints.length > 0) return { kind: 'problems', problems: problemsOf(flow, complaints) }
  const declared = declaredInputs(flow)
  const isPiped = options.stdin === true && !namesStdin(flow, steps)
  const given = giveData(steps, { isPiped, declared: new Set(declared.keys()) })
  const outputs = steps.flatMap(({ shape }) => shape.outputs ?? [])
  const known = new Set([...ids, ...declared.keys(), ...given.data.keys(), ...outputs])
  const inputs = new Map([...declared, ...neededInputs(steps, known)])
  const { stdin } = given
  const missing = given.missing.filter((input) => input !== stdin)
  const reading = {
    ir: irOf(steps, placed.edges, { ...given, inputs }),
    data: Object.fromEntries(Array.from(given.data, ([key, { value }]) => [key, value])),
    ...(stdin && { stdin }),
    missing,
  }
  return { kind: 'ir', reading }
}

/** For non-interactive callers, who cannot be asked for the values. */
export function missingInputError(missing: readonly MissingInput[]): CordonError {
  const list = missing.map(({ name, type, node }) => `${name} (${type}) of ${node}`).join(', ')
  const flags = missing.map(({ name }) => `--${name.replaceAll('_', '-')} VALUE`).join(' ')
  return new CordonError(
    'flows.missing-input',
    { exit: 2, hint: `Add ${flags}, or run the command in a terminal to be asked` },
    `Cannot start the flow: MISSING_INPUT ${list}`,
  )
}

function nothing(): readonly string[] {
  return []
}

function readSteps({ steps, edges }: PlacedFlow, words: FlagWords): readonly GivenStep[] {
  const order = new Map(steps.map(({ id }, index) => [id, index]))
  const isForward = ({ from, to }: Edge): boolean => (order.get(from) ?? 0) < (order.get(to) ?? 0)
  const entered = new Set(edges.filter(isForward).map(({ to }) => to))
  let complaints = 0
  const given: GivenStep[] = []
  for (const step of steps) {
    if (complaints >= MOST_COMPLAINTS) break
    const values = withReferencesAsParams(readStepFlags(step.step, step.shape, words))
    complaints += values.complaints.length
    given.push({ ...step, values, isEntered: entered.has(step.id) })
  }
  return given
}

/**
 * A value with a reference is unknown until that step has run, so it stays a param of the node instead of store data.
 */
function withReferencesAsParams(values: StepValues): StepValues {
  const refers = ([, value]: readonly [string, Json]): boolean =>
    JSON.stringify(value).includes('${')
  const inputs = [...values.inputs]
  return {
    ...values,
    inputs: new Map(inputs.filter((entry) => !refers(entry))),
    params: new Map([...values.params, ...inputs.filter(refers)]),
  }
}

const STDIN = /\$\{stdin[}.[]/

/** Whether the flow itself says where standard input goes. */
function namesStdin({ inputs }: FlowText, steps: readonly GivenStep[]): boolean {
  const isNamed = (value: unknown): boolean => STDIN.test(JSON.stringify(value) ?? '')
  const inStep = ({ flags, each, when }: Step): boolean =>
    flags.some(({ value }) => isNamed(value)) || isNamed(each) || isNamed(when)
  return inputs.some((one) => one.isPiped) || steps.some(({ step }) => inStep(step))
}

function irOf(
  steps: readonly GivenStep[],
  edges: readonly Edge[],
  { data, mappings, missing, stdin, inputs }: GivenData & { readonly inputs: DeclaredInputs },
): JsonObject {
  const typed = Array.from(data, ([key, { type, value }]) => [key, { type, default: value }])
  const wanted = stdin && !missing.includes(stdin) ? [...missing, stdin] : missing
  const asked = wanted
    .filter(({ mayArrive }) => !mayArrive)
    .map((input) => {
      const piped = input === stdin ? { stdin: true } : {}
      return [input.key, { type: input.type, required: true, ...piped }]
    })
  const renamed = Array.from(mappings, ([id, keys]) => {
    return [id, { input_mappings: Object.fromEntries(keys) }]
  })
  return {
    ir_version: '1.0.0',
    inputs: Object.fromEntries([...inputs, ...typed, ...asked]) as JsonObject,
    nodes: steps.map(nodeOf),
    edges: edges.map((edge) => ({ ...edge })),
    mappings: Object.fromEntries(renamed) as JsonObject,
  }
}

function nodeOf({ id, step, shape, values }: GivenStep): JsonObject {
  return {
    id,
    type: shape.id ?? step.name,
    ...(step.version !== undefined && { version: step.version }),
    params: Object.fromEntries(values.params),
    ...clausesOf(step),
  }
}

function clausesOf({ each, when, retry }: Clauses): JsonObject {
  return {
    ...(each && { forEach: forEachOf(each) }),
    ...(when && { when: { ...when } }),
    ...(retry && {
      execution: {
        max_retries: retry.times,
        ...(retry.wait !== undefined && { wait: retry.wait }),
      },
    }),
  }
}

function forEachOf({ as, items, max, parallel, goesOn }: EachClause): JsonObject {
  return {
    as,
    items,
    ...(max !== undefined && { max }),
    ...(parallel !== undefined && { parallel: true, max_concurrent: parallel }),
    ...(goesOn && { error_handling: 'continue' }),
  }
}

function unknownNode({ at, name }: Step, near: readonly string[]): Complaint {
  return {
    at,
    code: 'flows.unknown-node',
    message: `Cannot find node ${JSON.stringify(name)}`,
    hint: hintToward(near, '`cordon registry list` to see every node'),
  }
}

function problemsOf(flow: FlowText, complaints: readonly Complaint[]): readonly GrammarProblem[] {
  return complaints
    .toSorted((a, b) => a.at - b.at)
    .slice(0, MOST_COMPLAINTS)
    .map((complaint) => problemIn(flow.shown, complaint))
}
