/**
 * One look at the world for everybody who asks in the same turn of the event loop: calls that arrive together share
 * the cost of a system call, and the answer is never older than that turn.
 */
export function onceATurn<T>(look: () => T): () => T {
  let seen: { readonly answer: T } | undefined
  return () => {
    if (!seen) {
      seen = { answer: look() }
      setImmediate(() => {
        seen = undefined
      })
    }
    return seen.answer
  }
}
