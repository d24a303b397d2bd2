/** Commands that Cordon does not support: containers and projects of uv. Parsed only to suggest an alternative. */
import type { Service } from '../../ports/service-facts.ts'
import { takeOptions } from './take-options.ts'

export interface ForeignCommand {
  /** The image or package. */
  readonly what: string
  readonly how: 'container' | 'project'
}

const PROJECT = /^uv run(?: |$)/
const CONTAINER = /^(?:docker|podman|nerdctl) (?:container )?run(?: |$)/
/** Options of `docker run` that take the next word as value. */
const TAKES_VALUE =
  /^(?:-[evpwuhlm]|--(?:env|env-file|volume|mount|publish|name|network|net|workdir|user|entrypoint|platform|memory|cpus|label|hostname|add-host|pull|tmpfs|from|with|python))$/

export function parseForeignCommand(words: readonly string[]): ForeignCommand | undefined {
  const line = words.join(' ')
  const runner = PROJECT.exec(line) ?? CONTAINER.exec(line)
  if (!runner) return undefined
  const after = words.slice(runner[0].trim().split(' ').length)
  const { rest } = takeOptions(after, TAKES_VALUE)
  return { what: rest[0] ?? '', how: CONTAINER.test(line) ? 'container' : 'project' }
}

/** A whole sentence with the alternative. */
export function whyNot({ how }: ForeignCommand, known: Service | undefined): string {
  const reason =
    how === 'container'
      ? 'Cordon does not run container images yet'
      : 'Cordon does not run projects of uv, only packages'
  if (known)
    return `${reason}; run \`cordon connect ${known.slug}\` for the ${known.title} that it knows.`
  return `${reason}; paste the server's npx or uvx line or its https address instead, if it has one.`
}
