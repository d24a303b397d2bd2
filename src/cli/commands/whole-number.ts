/** Parses an option that is a count. */
import { CordonError } from '../../kernel/error.ts'

export function wholeNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new CordonError(
    'cli.number',
    { exit: 2, hint: 'Give a whole number above zero' },
    `Cannot read ${JSON.stringify(text)} as a count`,
  )
}
