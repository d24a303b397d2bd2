/** Assigns the flags of one step to the inputs and params they mean. Collects every mistake, not only the first. */
import type { Json } from '../../text/json.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Flag, Step } from './flow-text.ts'
import { type FlagTarget, findTarget, flagNames, type NodeShape, typeOf } from './node-shape.ts'
import { type Complaint, hintToward } from './problem.ts'
import { type ReadValue, readFlagValue } from './read-value.ts'

export interface StepValues {
  readonly inputs: ReadonlyMap<string, Json>
  readonly params: ReadonlyMap<string, Json>
  readonly complaints: readonly Complaint[]
}

export interface FlagWords {
  /** "Did you mean": the known names that are similar to a mistyped one. */
  readonly suggestFlags: (typed: string, known: readonly string[]) => readonly string[]
}

/** Longer lists of problems are not read, and each problem costs a search through all names for a similar one. */
export const MOST_COMPLAINTS = 20

export function readStepFlags(step: Step, shape: NodeShape, words: FlagWords): StepValues {
  const values = { input: new Map<string, Json>(), param: new Map<string, Json>() }
  const complaints: Complaint[] = []
  const given = new Map<string, Given>()
  for (const flag of step.flags) {
    const target = findTarget(shape, flag.key)
    if (target !== undefined) collect(given, target, flag)
    else if (complaints.length < MOST_COMPLAINTS)
      complaints.push(unknownFlag(flag, step, shape, words))
  }
  for (const { target, flags } of given.values()) {
    const read = valueFrom(flags, target, typeOf(shape, target.key))
    if (read.kind === 'value') values[target.kind].set(target.key, read.value)
    else complaints.push(badValue(flags, read.expected))
  }
  return { inputs: values.input, params: values.param, complaints }
}

interface Given {
  readonly target: FlagTarget
  readonly flags: [Flag, ...Flag[]]
}

/** Different spellings of a key count as the same flag, and so do `--no-key` and `--key`. */
function collect(given: Map<string, Given>, target: FlagTarget, flag: Flag): void {
  const name = `${target.kind}:${target.key}`
  const before = given.get(name)
  if (before) before.flags.push(flag)
  else given.set(name, { target, flags: [flag] })
}

function valueFrom(
  flags: readonly Flag[],
  target: FlagTarget,
  type: string | undefined,
): ReadValue {
  const texts = flags.map(({ value }) => value)
  if (!target.negated) return readFlagValue(texts, type)
  const alone = texts.length === 1 && texts[0] === undefined
  return alone
    ? { kind: 'value', value: false }
    : { kind: 'mistake', expected: 'no value, and the flag only once' }
}

function unknownFlag(flag: Flag, step: Step, shape: NodeShape, words: FlagWords): Complaint {
  const near = words.suggestFlags(flag.key, flagNames(shape)).map((key) => `--${key}`)
  const name = shape.id ?? step.name
  return {
    at: flag.at,
    code: 'flows.unknown-flag',
    message: `Cannot find --${flag.key} among the inputs and parameters of ${JSON.stringify(name)}`,
    hint: hintToward(near, `\`cordon registry describe ${shellWord(name)}\` to see what it takes`),
  }
}

/** Never repeats the value: it may be a secret typed in the wrong place. */
function badValue([first, second]: Given['flags'], expected: string): Complaint {
  const { key } = first
  return {
    at: second?.at ?? first.valueAt,
    code: 'flows.bad-value',
    message: `Cannot use this for --${key}: expected ${expected}`,
    hint: `Write --${key}=VALUE, or \${step.key} for what an earlier step found`,
  }
}
