/** A package or a folder that cannot be used. The message is a clause in our own words, fit to be shown. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

/** What may be shown of an error: our own words, or none at all. */
export function reasonOf(error: unknown, otherwise: string): string {
  return error instanceof Unfit ? error.message : otherwise
}
