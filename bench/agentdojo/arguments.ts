/** Turns the source of an argument (plan, paste, answer, model) into a labelled value. */
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../src/text/json.ts'
import { type Bound, joinLabels, type Label, OWN_WORDS } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { isDate, type Oracle } from './oracle.ts'
import type { PlanStep, Source, TaskPlan } from './plan.ts'
import type { World } from './world.ts'

export interface Scene {
  readonly world: World
  readonly oracle: Oracle
  readonly known: ReadonlyMap<number, Labelled>
  readonly place: { readonly tool: string; readonly nth: number; readonly argument: string }
}

/** The answers that a model reads for this step. Undefined while one is needed and an earlier read is unanswered. */
export function answersSoFar(
  { steps }: TaskPlan,
  step: PlanStep,
  answers: ReadonlyMap<number, Labelled>,
): ReadonlyMap<number, Labelled> | undefined {
  const isModel = Object.values(step.args).some(readsAnswers)
  const isLast = step.isReplanned && !step.isRead
  const needed = steps.filter((one) => one.isRead && (isLast || one.at < step.at))
  if (isModel && needed.some(({ at }) => !answers.has(at))) return undefined
  return answers
}

function readsAnswers(source: Source): boolean {
  if (source.from === 'list') return source.items.some(readsAnswers)
  if (source.from === 'object') return Object.values(source.members).some(readsAnswers)
  return source.from === 'model' || source.from === 'attacker'
}

const HOST: Label = { ...OWN_WORDS, integrity: 'system' }
const PASTED: Label = { ...OWN_WORDS, integrity: 'external', origins: new Set(['user']) }

export function resolve(scene: Scene, source: Source): Labelled | undefined {
  switch (source.from) {
    case 'answer':
      return fromAnswer(scene, source)
    case 'model':
      return fromModel(scene, source)
    case 'list':
      return fromParts(scene, source.items, (items) => Labelled.list(items, OWN_WORDS))
    case 'object': {
      const names = Object.keys(source.members)
      return fromParts(scene, Object.values(source.members), (members) => {
        const named = Object.fromEntries(members.map((one, at) => [names[at] as string, one]))
        return Labelled.object(named, OWN_WORDS)
      })
    }
    default:
      return new Labelled(source.value, { label: labelFrom(scene, source.from) })
  }
}

function labelFrom(scene: Scene, from: 'plan' | 'paste' | 'host' | 'attacker'): Label {
  if (from === 'attacker') return labelOfAll(scene)
  if (from === 'paste') return PASTED
  return from === 'host' ? HOST : OWN_WORDS
}

function fromParts(
  scene: Scene,
  sources: readonly Source[],
  join: (parts: readonly Labelled[]) => Labelled,
): Labelled | undefined {
  const parts = sources.map((source) => resolve(scene, source))
  return parts.every((part) => part !== undefined) ? join(parts) : undefined
}

type From<Kind> = Extract<Source, { readonly from: Kind }>

function fromAnswer(
  { oracle, known, place }: Scene,
  { step, path, value }: From<'answer'>,
): Labelled | undefined {
  const found = known.get(step)?.at(...path)
  if (!found || found.label.integrity !== 'external') return found
  const written = oracle.write({ ...place, truth: value })
  return isDeepStrictEqual(written, value) ? found : new Labelled(written, found.tree)
}

/** The joined label of all answers so far: a model's output may contain anything that the model has read. */
function labelOfAll({ known }: Scene): Label {
  return [...known.values()].map((answer) => answer.label).reduce(joinLabels, OWN_WORDS)
}

function fromModel(scene: Scene, source: From<'model'>): Labelled {
  const { world, oracle, place } = scene
  const { kind, value, options } = source
  const label = labelOfAll(scene)
  const isTainted = label.integrity === 'external'
  const said = oracle.read({
    ...place,
    kind,
    truth: value,
    isTainted,
    ...(options && { options }),
  })
  const { server } = world.facts(place.tool).id
  const bound = isTainted ? boundOf(source, said, server) : undefined
  return new Labelled(said, {
    label: { ...label, ...(bound && { bound }) },
    from: { kind: 'model', role: 'extract' },
  })
}

/** The bound of a model's output, checked by the host: a number, a date, a literal of the plan, a member of a list. */
function boundOf(source: From<'model'>, said: Json, server: string): Bound | undefined {
  const { kind, options, isDirectory } = source
  if (kind === 'Qn') return typeof said === 'number' ? { kind: 'number' } : undefined
  if (kind === 'Qt') return isDate(said) ? { kind: 'date' } : undefined
  if (!options?.some((option) => isDeepStrictEqual(option, said))) return undefined
  if (kind === 'Qb') return { kind: 'bool' }
  if (kind === 'Qe') return { kind: 'enum', size: options.length }
  return { kind: 'member', of: server, ...(isDirectory && { isDirectory }) }
}
