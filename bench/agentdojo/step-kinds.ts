/** The kind of source of each argument of each step: as annotated, else guessed from the task itself. */
import type { Json } from '../../src/text/json.ts'
import { placesOf } from './json-path.ts'
import type { Annotation, Kind, Suite, UserTask } from './suite.ts'

export type StepKinds = Readonly<Record<string, Kind>>

/** One entry per step. */
export function kindsOf(suite: Suite, task: UserTask): readonly StepKinds[] {
  const annotated = annotatedCalls(suite, task)
  return task.steps.map(({ args }, at) => {
    const said = annotated[at]?.args ?? {}
    return Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, said[name] ?? guess(task, at, value)]),
    )
  })
}

/** One entry per step, undefined without an annotation. Annotations are listed in the order of the calls. */
export function annotatedCalls(
  { annotations }: Suite,
  { id, steps }: UserTask,
): readonly (Annotation['calls'][number] | undefined)[] {
  const left = [...(annotations[id]?.calls ?? [])]
  return steps.map(({ tool }) => {
    const at = left.findIndex((call) => call.tool === tool)
    return at < 0 ? undefined : left.splice(at, 1)[0]
  })
}

/**
 * A value of the prompt is the owner's (U); a value of an earlier answer is from a field others can write (D). Any
 * other value is read by a model (Qs), unless the step only reads and no answer quotes the value: then the planner knew
 * it (U).
 */
function guess({ prompt, steps }: UserTask, at: number, value: Json): Kind {
  if (prompt.includes(typeof value === 'string' ? value : JSON.stringify(value))) return 'U'
  const earlier = steps.slice(0, at).map(({ output }) => output)
  if (earlier.some((output) => placesOf(value, output).length > 0)) return 'D'
  if (steps[at]?.effect !== 'read') return 'Qs'
  const isQuoted =
    typeof value === 'string' && value.length > 2 && JSON.stringify(earlier).includes(value)
  return isQuoted ? 'Qs' : 'U'
}
