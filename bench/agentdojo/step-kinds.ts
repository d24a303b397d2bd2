/** Where each argument of each step comes from: as it is annotated, or as can be told from the task itself. */
import type { Json } from '../../src/text/json.ts'
import { placesOf } from './json-path.ts'
import type { Annotation, Kind, Suite, UserTask } from './suite.ts'

export type StepKinds = Readonly<Record<string, Kind>>

/** By step. */
export function kindsOf(suite: Suite, task: UserTask): readonly StepKinds[] {
  const annotated = annotatedCalls(suite, task)
  return task.steps.map(({ args }, at) => {
    const said = annotated[at]?.args ?? {}
    return Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, said[name] ?? guess(task, at, value)]),
    )
  })
}

/** By step: its annotation, where it has one. They come in the order of the calls. */
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

/** What the owner wrote is his; what an answer holds is from there; the rest the planner knew. */
function guess({ prompt, steps }: UserTask, at: number, value: Json): Kind {
  if (prompt.includes(typeof value === 'string' ? value : JSON.stringify(value))) return 'U'
  const earlier = steps.slice(0, at).map(({ output }) => output)
  if (earlier.some((output) => placesOf(value, output).length > 0)) return 'D'
  if (steps[at]?.effect !== 'read') return 'Qs'
  const isQuoted =
    typeof value === 'string' && value.length > 2 && JSON.stringify(earlier).includes(value)
  return isQuoted ? 'Qs' : 'U'
}
