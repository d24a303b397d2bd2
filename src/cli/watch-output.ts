/**
 * Whether standard output still takes what is written. A reader who leaves (`cordon audit tail | head`) ends the command,
 * and is no mistake of anybody's; what cannot be written for another reason, such as a full disk, is told.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CordonError } from '../kernel/error.ts'
import type { Terminal } from './context.ts'

interface OutputWatch {
  /** Aborts once nothing more can be written. */
  readonly closed: AbortSignal
  /** When everything is written: why some of it could not be; undefined where it was, or nobody wants it. */
  problem(): Promise<CordonError | undefined>
}

export function watchOutput({ stdout, stderr }: Terminal): OutputWatch {
  const closed = new AbortController()
  let found: CordonError | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !closed.signal.aborted) found = notWritten(error)
    closed.abort()
  })
  stderr.on('error', () => undefined) // nobody is left to be told
  return {
    closed: closed.signal,
    async problem() {
      await new Promise<void>((resolve) => void stdout.write('', () => resolve()))
      await nextTurn() // an error is told after the write that met it
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
