/** A reading that is kept as long as its stamp stays the same: every prompt asks for what seldom changes. Pure. */

/** `stamp`: another text after every change, or undefined if that cannot be told. */
export function readOnChange<T>(
  stamp: () => string | undefined,
  read: () => Promise<T>,
): () => Promise<T> {
  let last: { readonly stamp: string; readonly value: T } | undefined
  return async () => {
    const now = stamp() // before the reading: a change in between is seen the next time
    if (now !== undefined && last?.stamp === now) return last.value
    const value = await read()
    last = now === undefined ? undefined : { stamp: now, value }
    return value
  }
}
