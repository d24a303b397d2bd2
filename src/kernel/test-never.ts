/** For tests: the signal of an operation that nobody cancels. The runner's own limit ends what hangs. */
export const never: AbortSignal = new AbortController().signal
