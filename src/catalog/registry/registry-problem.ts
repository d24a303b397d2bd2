/** The reason why a registry gave no answer, for people. Becomes a notice and never ends a search. */

export class RegistryProblem extends Error {
  override readonly name = 'RegistryProblem'
  /** The registry would answer a request with a key. */
  readonly wantsKey: boolean

  /** `problem` is the end of a sentence that begins with the registry's name. */
  constructor(
    problem: string,
    options: { readonly wantsKey?: boolean; readonly cause?: unknown } = {},
  ) {
    super(problem, { cause: options.cause })
    this.wantsKey = options.wantsKey ?? false
  }
}

export function statusProblem(status: number, retryAfter: string | null): RegistryProblem {
  if (status === 429) return new RegistryProblem(`asks for fewer requests${wait(retryAfter)}`)
  if (status === 401 || status === 403) {
    return new RegistryProblem('refused to answer without a valid key', { wantsKey: true })
  }
  if (status >= 500) return new RegistryProblem(`is out of order (it answered ${status})`)
  return new RegistryProblem(`did not understand the question (it answered ${status})`)
}

function wait(retryAfter: string | null): string {
  const seconds = Number(retryAfter ?? Number.NaN)
  return Number.isInteger(seconds) && seconds > 0 && seconds < 86_400
    ? `; try again in ${seconds} seconds`
    : ''
}

/** `3 hours`. */
export function showAge(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  for (const [unit, length] of units) {
    const count = Math.floor(ms / length)
    if (count >= 1) return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
  }
  return 'a moment'
}
