/**
 * The fields of tool answers that only the server itself can write. For a known server the catalog ships this manifest;
 * for a suite it is derived from the arguments that are annotated as coming from such a field (kind C). A field where
 * others can write is never in the manifest.
 */
import type { Json } from '../../src/text/json.ts'
import { generalise, parsePath, placesIn, placesOf } from './json-path.ts'
import { kindsOf } from './step-kinds.ts'
import type { Suite, UserTask } from './suite.ts'

export interface FieldManifest {
  /** Fields by tool, written as `[*].id`. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
  /** Fields by tool that list people or channels. */
  readonly directories?: ReadonlyMap<string, readonly string[]>
  /** Arguments of kind C that occur in no earlier answer of their task: the host knew the value. */
  readonly known: readonly string[]
  /** Fields of kind C that were left out because others can write them. */
  readonly refused: readonly string[]
}

export function deriveManifest(suite: Suite): FieldManifest {
  const writable = writableFields(suite)
  const fields = new Map<string, Set<string>>()
  const known: string[] = []
  const refused = new Set<string>()
  const add = ({ tool, field }: Field): void => {
    if (isWritable(writable.get(tool), field)) refused.add(`${tool} ${field}`)
    else fields.set(tool, (fields.get(tool) ?? new Set()).add(field))
  }
  for (const task of suite.userTasks) {
    for (const { step, name, leaves } of systemArguments(suite, task)) {
      const found = leaves.flatMap((leaf) => fieldOf(task, step, leaf) ?? [])
      if (found.length === 0) known.push(`${task.id} ${task.steps[step]?.tool}.${name}`)
      found.forEach(add)
    }
  }
  return { fields, known, refused: [...refused] }
}

/** The places where an attacker can write, by tool. */
export function writableFields({ userTasks }: Suite): ReadonlyMap<string, ReadonlySet<string>> {
  const writable = new Map<string, Set<string>>()
  for (const { tool, injectable } of userTasks.flatMap(({ steps }) => steps)) {
    const fields = writable.get(tool) ?? new Set()
    for (const { path } of injectable) fields.add(generalise(parsePath(path)))
    writable.set(tool, fields)
  }
  return writable
}

/** Whether a writable field is this field, contains it or lies inside it. */
export function isWritable(writable: ReadonlySet<string> | undefined, field: string): boolean {
  return [...(writable ?? [])].some((one) => field.startsWith(one) || one.startsWith(field))
}

/** The arguments of kind C with their leaf values: `'file'` and `'19'` of `[{type: 'file', file_id: '19'}]`. */
function systemArguments(
  suite: Suite,
  task: UserTask,
): readonly { readonly step: number; readonly name: string; readonly leaves: readonly Json[] }[] {
  const kinds = kindsOf(suite, task)
  return task.steps.flatMap(({ args }, step) =>
    Object.entries(args)
      .filter(([name]) => kinds[step]?.[name] === 'C')
      .map(([name, value]) => ({ step, name, leaves: leavesOf(value) })),
  )
}

function leavesOf(value: Json): readonly Json[] {
  return [...placesIn(value)]
    .map(({ json }) => json)
    .filter((json) => typeof json !== 'object' && typeof json !== 'boolean')
}

interface Field {
  readonly tool: string
  readonly field: string
}

function fieldOf({ steps }: UserTask, before: number, value: Json): Field | undefined {
  for (const { tool, output } of steps.slice(0, before).reverse()) {
    const [path] = placesOf(value, output)
    if (path) return { tool, field: generalise(path) }
  }
  return undefined
}
