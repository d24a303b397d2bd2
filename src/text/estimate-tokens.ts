/** Estimates the tokens of a text at four characters each, without the tokenizer of any model. For budgets, not for bills. */

const CHARACTERS_A_TOKEN = 4

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN)
}
