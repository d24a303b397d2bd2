/** The question about a draft, in the host's own words: which tool, which value, or whether the request was one. Pure. */
import type { Planned } from '../plan-port.ts'
import { nameTokens } from '../../text/name-tokens.ts'
import { type Candidate, idsOf } from './candidates.ts'
import { type PlanDraft, showPlanDraft } from './plan-draft.ts'

/** `candidates`: those of the step that the question is about, the likeliest first. */
export function askQuestion(draft: PlanDraft, candidates: readonly Candidate[]): Planned {
  return {
    kind: 'question',
    near: idsOf(candidates, candidates.length),
    draft: showPlanDraft(draft),
    ...wordsOf(draft, candidates),
  }
}

function wordsOf(
  { open }: PlanDraft,
  candidates: readonly Candidate[],
): { readonly text: string; readonly choices: readonly string[] } {
  const [best] = candidates
  const shown = best ? showCandidate(best) : ''
  if (open.kind === 'choose') {
    return { text: 'Which one do you mean?', choices: candidates.map(showCandidate) }
  }
  if (open.kind === 'confirm') {
    return { text: `Shall I do that? It is: ${shown}.`, choices: ['yes', 'no'] }
  }
  const label = nameTokens(open.arg).join(' ')
  const choices = best?.filled.missing[0]?.arg.choices ?? []
  return { text: `Which ${label}? It is needed for: ${shown}.`, choices }
}

function showCandidate({ template }: Candidate): string {
  const { title, id } = template.card
  return `${title} (${id.server})`
}
