/** Tokens and cost of questions to models: their sum, and one line about it. Pure. */
import { showCount, showDollars } from './show-count.ts'

export interface TokenUsage {
  /** Each once, in the order in which they were asked. */
  readonly models: readonly string[]
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; absent if a price is not known: a part of the sum would pass for the whole. */
  readonly cost?: number
}

interface OneAnswer extends Omit<TokenUsage, 'models'> {
  readonly model: string
}

export function usageOfModel({ model, inputTokens, outputTokens, cost }: OneAnswer): TokenUsage {
  return { models: [model], inputTokens, outputTokens, ...(cost !== undefined && { cost }) }
}

/** Undefined if no model was asked. */
export function sumUsage(all: readonly TokenUsage[]): TokenUsage | undefined {
  if (all.length === 0) return undefined
  const costs = all.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))
  return {
    models: [...new Set(all.flatMap(({ models }) => models))],
    inputTokens: all.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: all.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    ...(costs.length === all.length && { cost: costs.reduce((sum, cost) => sum + cost, 0) }),
  }
}

/** `claude-sonnet-4-5 · 1,240 tokens · $0.0031` */
export function showUsage({ models, inputTokens, outputTokens, cost }: TokenUsage): string {
  const tokens = `${showCount(inputTokens + outputTokens)} tokens`
  return [models.join(', '), tokens, ...(cost === undefined ? [] : [showDollars(cost)])].join(' · ')
}
