/**
 * The planner of a turn: the owner's model if there is one, and otherwise, or where it gives no plan, the offline planner.
 * A question is answered by the planner that put it.
 */
import type { Planned, Planner, PlanRequest } from './plan-port.ts'
import type { Json } from '../text/json.ts'

export interface PlannerChoice {
  readonly offline: Planner
  readonly model: Planner
  readonly hasModel: () => Promise<boolean>
}

type By = 'offline' | 'model'

export function choosePlanner({ offline, model, hasModel }: PlannerChoice): Planner {
  return {
    async plan(request, signal) {
      if (!(await hasModel())) {
        const planned = await offline.plan(request, signal)
        const told = planned.kind === 'plan' ? planned : hinted(withModel(request, planned))
        return asked('offline', told)
      }
      const planned = await model.plan(request, signal)
      // The offline planner knows no rounds: it would plan the whole request once more.
      if (planned.kind !== 'unable' || request.rounds) return asked('model', planned)
      const instead = await offline.plan(request, signal)
      return instead.kind === 'unable' ? planned : asked('offline', instead)
    },
    async answer(draft, request, signal) {
      const { by, json } = draft as unknown as { readonly by: By; readonly json: Json }
      const planner = by === 'model' ? model : offline
      const planned = await planner.answer(json, request, signal)
      return planned && asked(by, planned)
    },
  }
}

/** Work on a text that no tool does: a model has to make the text. */
const MAKES_TEXT =
  /\b(?:summ?ar(?:y|i[sz]e[sd]?)|sum(?:s|med)? (?:\w+ ){0,4}up|translate|rephrase|rewrite|paraphrase|proofread)\b/i

/** Says that a model is missing, where that is why there is no plan. */
function withModel({ words }: PlanRequest, planned: Planned): Planned {
  const verb = MAKES_TEXT.exec(words)?.[0]
  if (verb === undefined || planned.kind === 'flow') return planned
  const reason = `That needs a model (${JSON.stringify(verb)}), and none is set up. \`cordon profiles add\` adds one.`
  return { kind: 'unable', reason, near: [] }
}

/** Nothing that is connected comes near: the commands of the chat may. */
function hinted(planned: Planned): Planned {
  if (planned.kind !== 'unable' || planned.near.length > 0) return planned
  return { ...planned, reason: `${planned.reason} \`help\` shows what I understand.` }
}

function asked(by: By, planned: Planned): Planned {
  return planned.kind === 'question' ? { ...planned, draft: { by, json: planned.draft } } : planned
}
