/**
 * Chooses the tool for one clause, with its arguments: the best by score once the values are laid out, or several that
 * are equally likely, or none. Pure.
 */
import { type ToolId } from '../../kernel/tool-id.ts'
import { type FillContext, type Filled, fillArguments } from './fill-arguments.ts'
import { type Asked, type Ranked, rankTools } from './rank-tools.ts'
import type { TemplateIndex } from './template-index.ts'
import type { ToolTemplate } from './tool-template.ts'

export interface Candidate {
  readonly template: ToolTemplate
  readonly filled: Filled
  readonly score: number
  readonly isLikely: boolean
}

const LOOKED_AT = 16
const MISSING = 0.3
/** A tool that needs much is no less likely than one that needs this much. */
const MOST_MISSING = 1.5
const UNUSED = 0.6
/** Two tools are equally likely if their scores are this close. */
const MARGIN = 0.06
/** Two services that do the same are asked about, though one says it in a more usual word. */
const OTHER_MARGIN = 0.2
/** An unlikely tool may score so much higher than the best likely one. */
const NEAR_BEST = 0.4
const MOST_CHOICES = 4

/** The best first. */
export function candidatesFor(
  index: TemplateIndex,
  asked: Asked,
  context: FillContext,
): readonly Candidate[] {
  const ranked = rankTools(index, asked)
  return ranked
    .slice(0, LOOKED_AT)
    .map((one) => candidateOf(one, asked, context))
    .sort((a, b) => b.score - a.score)
}

export function candidateOf(
  { template, score, isLikely }: Ranked,
  { clause }: Asked,
  context: FillContext,
): Candidate {
  const filled = fillArguments(template, clause, context)
  const { missing, unused } = filled
  const lost = MISSING * Math.min(missing.length, MOST_MISSING) + UNUSED * unused
  // A plan that leaves out a value of the sentence is not the plan that was asked for.
  return { template, filled, isLikely: isLikely && unused === 0, score: score - lost }
}

/**
 * More than one: they are equally likely, and the owner is asked. Empty: none is near. `isNamed`: the clause names a
 * service.
 */
export function chosenOf(candidates: readonly Candidate[], isNamed: boolean): readonly Candidate[] {
  const likely = candidates.filter(({ isLikely }) => isLikely)
  const [best] = likely
  if (!best || best.score < (candidates[0]?.score ?? 0) - NEAR_BEST) return []
  const { server } = best.template.card.id
  const equal = likely.filter(({ template, score }) => {
    const isOther = !isNamed && template.card.id.server !== server
    return score >= best.score - (isOther ? OTHER_MARGIN : MARGIN)
  })
  return equal.slice(0, MOST_CHOICES)
}

export function idsOf(candidates: readonly Candidate[], most: number): readonly ToolId[] {
  return candidates.slice(0, most).map(({ template }) => template.card.id)
}
