/** An unusable package or folder. The message is a clause in Cordon's own words, safe to show. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

/** The message of an `Unfit`; any other error may quote untrusted text and gets `otherwise`. */
export function reasonOf(error: unknown, otherwise: string): string {
  return error instanceof Unfit ? error.message : otherwise
}
