/**
 * List prices of well-known models, in US dollars per million tokens, by the beginning of their names. A profile can
 * say otherwise, and the price of any other model is not known. Never guesses.
 */

export interface Price {
  readonly input: number
  readonly output: number
}

/** The first that fits counts. */
const PRICES: readonly (readonly [string, number, number])[] = [
  ['claude-opus-4-5', 5, 25],
  ['claude-opus-4', 15, 75],
  ['claude-sonnet-4', 3, 15],
  ['claude-haiku-4-5', 1, 5],
  ['claude-3-5-haiku', 0.8, 4],
  ['claude-3-haiku', 0.25, 1.25],
  ['gpt-4.1-mini', 0.4, 1.6],
  ['gpt-4.1', 2, 8],
  ['gpt-4o-mini', 0.15, 0.6],
  ['gpt-4o', 2.5, 10],
]

/** A name that goes on with digits, dots or letters is another model: `gpt-4.1-mini` is not `gpt-4.1`. */
const DATED = /^(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-\d)?$/

export function priceOf(model: string): Price | undefined {
  const found = PRICES.find(
    ([name]) => model.startsWith(name) && DATED.test(model.slice(name.length)),
  )
  return found && { input: found[1], output: found[2] }
}

export function costOf(
  price: Price | undefined,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): number | undefined {
  return price && (inputTokens * price.input + outputTokens * price.output) / 1_000_000
}
