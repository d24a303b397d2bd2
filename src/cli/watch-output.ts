/**
 * Watches whether standard output can still be written. A reader who leaves (`cordon audit tail | head`) ends the
 * command without an error; any other write error, such as a full disk, is reported.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CordonError } from '../kernel/error.ts'
import type { Terminal } from './context.ts'

interface OutputWatch {
  /** Aborts once standard output can no longer be written. */
  readonly closed: AbortSignal
  /** Waits for all writes, then returns the write error; undefined if there was none, or if the reader left. */
  problem(): Promise<CordonError | undefined>
}

export function watchOutput({ stdout, stderr }: Terminal): OutputWatch {
  const closed = new AbortController()
  let found: CordonError | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !closed.signal.aborted) found = notWritten(error)
    closed.abort()
  })
  stderr.on('error', () => undefined) // there is no other stream to report it on
  return {
    closed: closed.signal,
    async problem() {
      await new Promise<void>((resolve) => void stdout.write('', () => resolve()))
      await nextTurn() // the error event follows the write that failed
      return found
    },
  }
}

function notWritten(cause: Error): CordonError {
  return new CordonError(
    'cli.export',
    { exit: 5, hint: 'Make room where the output goes, or send it elsewhere' },
    'Cannot write the answer to standard output',
    cause,
  )
}
