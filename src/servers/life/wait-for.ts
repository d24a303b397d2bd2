/** Waits for a change that may never come, as long as the caller wants to. */
export async function waitFor(change: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([change, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
