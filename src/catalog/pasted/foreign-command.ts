/** Commands that Cordon does not support: projects of uv. Parsed only to suggest an alternative. */
import type { Service } from '../../ports/service-facts.ts'
import { takeOptions } from './take-options.ts'

export interface ForeignCommand {
  /** The package. */
  readonly what: string
}

const PROJECT = /^uv run(?: |$)/
/** Options of `uv run` that take the next word as value. */
const TAKES_VALUE = /^--(?:from|with|python|directory|project)$/

export function parseForeignCommand(words: readonly string[]): ForeignCommand | undefined {
  const runner = PROJECT.exec(words.join(' '))
  if (!runner) return undefined
  const after = words.slice(runner[0].trim().split(' ').length)
  const { rest } = takeOptions(after, TAKES_VALUE)
  return { what: rest[0] ?? '' }
}

/** A whole sentence with the alternative. */
export function whyNot(known: Service | undefined): string {
  const reason = 'Cordon does not run projects of uv, only packages'
  if (known)
    return `${reason}; run \`cordon connect ${known.slug}\` for the ${known.title} that it knows.`
  return `${reason}; paste the server's npx or uvx line or its https address instead, if it has one.`
}
