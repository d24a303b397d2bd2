/**
 * The honest plan of a task: its recorded calls, each argument with its source. An attacker can choose the values that
 * a model reads out of untrusted text, but neither which tools are called nor how often.
 */
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { FieldManifest } from './field-manifest.ts'
import { generalise, type Path, placesIn, placesOf } from './json-path.ts'
import { annotatedCalls, kindsOf } from './step-kinds.ts'
import type { Kind, Suite, SuiteStep, UserTask } from './suite.ts'

export type Source =
  /** Written in the plan, in the owner's words. */
  | { readonly from: 'plan'; readonly value: Json }
  /** Pasted into the owner's message, but written by others. */
  | { readonly from: 'paste'; readonly value: Json }
  /** From the host's own knowledge. */
  | { readonly from: 'host'; readonly value: Json }
  /** A place in the answer to an earlier step. */
  | { readonly from: 'answer'; readonly step: number; readonly path: Path; readonly value: Json }
  /** Read by a model out of all answers so far. */
  | {
      readonly from: 'model'
      readonly kind: Kind
      readonly value: Json
      /** The only possible values, where they are few. */
      readonly options?: readonly Json[]
      /** They are the server's directory of people or channels. */
      readonly isDirectory?: true
    }
  /** Chosen by a model that obeys the attacker's instructions. */
  | { readonly from: 'attacker'; readonly value: Json }
  | { readonly from: 'list'; readonly items: readonly Source[] }
  | { readonly from: 'object'; readonly members: Readonly<Record<string, Source>> }

export interface PlanStep {
  readonly at: number
  readonly tool: string
  readonly args: Readonly<Record<string, Source>>
  /** The recorded answer of the server. */
  readonly output: Json
  readonly meta?: JsonObject
  readonly injectable: SuiteStep['injectable']
  /** The step changes nothing, and later steps read its answer. */
  readonly isRead: boolean
  /** The step changes something, or is annotated as sending data out. */
  readonly isSink: boolean
  /** The step runs only if untrusted data says so. */
  readonly isGuarded: boolean
  /** The step was planned after untrusted text was read as instructions. */
  readonly isReplanned: boolean
  /** The bits that untrusted data decides in the task, up to and including this step. */
  readonly bits: number
}

export interface TaskPlan {
  readonly task: UserTask
  readonly steps: readonly PlanStep[]
  readonly isReadOnly: boolean
}

export function planFor(suite: Suite, manifest: FieldManifest, task: UserTask): TaskPlan {
  const annotated = annotatedCalls(suite, task)
  const kinds = kindsOf(suite, task)
  const { class: planClass = 'S1' } = suite.annotations[task.id] ?? {}
  let bits = 0
  const steps = task.steps.map(({ tool, args, effect, ...answer }, at): PlanStep => {
    const isSink = effect !== 'read' || annotated[at] !== undefined
    const isGuarded = planClass === 'S3' && isSink
    const said = kinds[at] ?? {}
    const sources = Object.entries(args).map(
      ([name, value]) =>
        [name, sourceOf({ task, at, manifest }, value, said[name] ?? 'Qs')] as const,
    )
    const choices = sources.reduce((sum, [, source]) => sum + bitsOf(source), 0)
    bits += (isGuarded ? 1 : 0) + choices
    return {
      at,
      tool,
      args: Object.fromEntries(sources),
      ...answer,
      isRead: !CHANGES.has(effect),
      isSink,
      isGuarded,
      isReplanned: planClass === 'S4' && at > 0,
      bits,
    }
  })
  const ordered = planClass === 'S4' ? readsFirst(steps) : steps
  return { task, steps: ordered, isReadOnly: !steps.some(({ isSink }) => isSink) }
}

/** As the engine counts them: one bit for a boolean, log2 of its size for an enum. */
function bitsOf(source: Source): number {
  const isChoice = source.from === 'model' && (source.kind === 'Qb' || source.kind === 'Qe')
  return isChoice ? Math.log2(source.options?.length ?? 1) : 0
}

const CHANGES: ReadonlySet<string> = new Set(['write', 'destructive', 'exec'])

/** In a plan made from untrusted instructions all reads come first, so that all sinks fit into one question. */
function readsFirst(steps: readonly PlanStep[]): readonly PlanStep[] {
  return [...steps.filter(({ isSink }) => !isSink), ...steps.filter(({ isSink }) => isSink)]
}

interface Place {
  readonly task: UserTask
  readonly at: number
  readonly manifest: FieldManifest
}

function sourceOf(place: Place, value: Json, kind: Kind): Source {
  switch (kind) {
    case 'U':
      return { from: 'plan', value }
    case 'P':
      return { from: 'paste', value }
    case 'C':
      return reference(place, value, kind) ?? { from: 'host', value }
    case 'D':
      return reference(place, value, kind) ?? { from: 'model', kind: 'Qs', value }
    case 'Qb':
    case 'Qe':
      return choice(place, value, kind)
    case 'Qi':
      return memberOf(place, value)
    default:
      return { from: 'model', kind, value }
  }
}

/** A choice among the plan's own literals; free text (Qs) where the value shares no word with the owner's prompt. */
function choice({ task: { prompt } }: Place, value: Json, kind: 'Qb' | 'Qe'): Source {
  const words = JSON.stringify(value).match(/[\p{L}\p{N}:.-]{2,}/gu) ?? []
  const isOwn = typeof value === 'boolean' || words.some((word) => prompt.includes(word))
  if (!isOwn) return { from: 'model', kind: 'Qs', value }
  return { from: 'model', kind, value, options: variants(value, prompt) }
}

/** A member of the server's own list; free text (Qs) where no such list is known. */
function memberOf(place: Place, value: Json): Source {
  const found = listOf(place, value)
  if (!found) return { from: 'model', kind: 'Qs', value }
  return { from: 'model', kind: 'Qi', value, ...found }
}

/** Tools that list people or channels; the catalog says so of each service it knows. */
const DIRECTORY = /contacts?|users?|directory|people|members|channels/i

/** The place of the value in an earlier answer, whole or in parts. Undefined where no part occurs in an answer. */
function reference(place: Place, value: Json, kind: Kind): Source | undefined {
  const found = find(place, value)
  if (found) return found
  if (typeof value !== 'object' || value === null) return undefined
  const isKnown = [...placesIn(value)].some(({ json }) => find(place, json) !== undefined)
  if (!isKnown) return undefined
  const part = (member: Json): Source => reference(place, member, kind) ?? literal(member, kind)
  if (Array.isArray(value)) return { from: 'list', items: value.map(part) }
  const members = Object.entries(value as JsonObject).map(([k, v]) => [k, part(v)] as const)
  return { from: 'object', members: Object.fromEntries(members) }
}

function literal(value: Json, kind: Kind): Source {
  return kind === 'C' ? { from: 'plan', value } : { from: 'model', kind: 'Qs', value }
}

function find({ task, at, manifest }: Place, value: Json): Source | undefined {
  for (let step = at - 1; step >= 0; step -= 1) {
    const { tool, output } = task.steps[step] as SuiteStep
    const paths = placesOf(value, output)
    const own = paths.find((one) => manifest.fields.get(tool)?.has(generalise(one)))
    const path = own ?? paths[0]
    if (path) return { from: 'answer', step, path, value }
  }
  return undefined
}

/** All values of the field that the value comes from; undefined unless only the server can write that field. */
function listOf(
  place: Place,
  value: Json,
): { readonly options: readonly Json[]; readonly isDirectory?: true } | undefined {
  const found = find(place, value)
  if (found?.from !== 'answer') return undefined
  const { tool, output } = place.task.steps[found.step] as SuiteStep
  const field = generalise(found.path)
  if (!place.manifest.fields.get(tool)?.has(field)) return undefined
  const options = [...placesIn(output)]
    .filter(({ path }) => generalise(path) === field)
    .map(({ json }) => json)
  return { options, ...(DIRECTORY.test(tool) && { isDirectory: true }) }
}

const TOKENS = [/\d{4}-\d{2}-\d{2}/g, /\b\d{1,2}:\d{2}\b/g, /\b\d+(?:\.\d+)?\b/g] as const

/** The branches of the plan: this value, and the same with another date, time or number from the owner's prompt. */
function variants(value: Json, prompt: string): readonly Json[] {
  if (typeof value === 'boolean') return [value, !value]
  if (typeof value !== 'string') return [value]
  const shape = TOKENS.find((tokens) => new Set(prompt.match(tokens)).size > 1)
  const own = shape ? (prompt.match(shape) ?? []) : []
  const others = own.map((token) => value.replace(shape as RegExp, token))
  return [...new Set([value, ...others])]
}
