/**
 * The arguments of a client's call with their labels. `{"$result": "r1", "path": "items.0.id"}` stands for a kept value,
 * which then carries its own labels: the client's model has not written it.
 */
import type { Label } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { ClientSession } from './client-session.ts'
import { resultPart } from './result-part.ts'
import { isObject } from './rpc-message.ts'

const MOST_DEPTH = 64

/**
 * The arguments of a call with their labels: the session's, since its model wrote them; a handle's own where a handle
 * stands. A sentence if a handle names nothing.
 */
export function labelArguments(
  session: ClientSession,
  args: JsonObject,
  label: Label,
): Readonly<Record<string, Labelled>> | string {
  const labelled = Object.entries(args).map(
    ([name, value]) => [name, labelArgument(session, value, label, 0)] as const,
  )
  const [problem] = labelled.map(([, value]) => value).filter((one) => typeof one === 'string')
  return problem ?? (Object.fromEntries(labelled) as Readonly<Record<string, Labelled>>)
}

function labelArgument(
  session: ClientSession,
  value: Json,
  label: Label,
  depth: number,
): Labelled | string {
  if (!holdsHandle(value, depth)) return new Labelled(value, { label })
  if (isHandle(value)) return resultPart(session, value['$result'], value['path'])
  const inner = (one: Json): Labelled | string => labelArgument(session, one, label, depth + 1)
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(inner)
    return problemIn(items) ?? Labelled.list(items as readonly Labelled[], label)
  }
  const members = Object.entries(value as unknown as Members).map(
    ([key, one]) => [key, inner(one)] as const,
  )
  const problem = problemIn(members.map(([, one]) => one))
  return problem ?? Labelled.object(Object.fromEntries(members) as Record<string, Labelled>, label)
}

type Members = Readonly<Record<string, Json>>

function problemIn(values: readonly (Labelled | string)[]): string | undefined {
  return values.find((one) => typeof one === 'string')
}

function isHandle(value: Json): value is JsonObject {
  if (!isObject(value) || typeof value['$result'] !== 'string') return false
  return Object.keys(value).every((key) => key === '$result' || key === 'path')
}

/** Deeper than this nothing is looked for: such a value is words of the client, whatever it looks like. */
function holdsHandle(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return false
  if (isHandle(value)) return true
  return Object.values(value as unknown as Members).some((one) => holdsHandle(one, depth + 1))
}
