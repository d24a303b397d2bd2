/** Turns an errno of the disk into a `CordonError`: full or not writable. Any other error is a bug, and stays. */
import { CordonError } from '../kernel/error.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const NOT_WRITABLE = new Set(['EROFS', 'EACCES', 'EPERM'])

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}

/** Takes the error of one attempt to write below `path`; returns the error to throw instead. */
export function explainDiskError(path: string, error: unknown): unknown {
  const errno = errnoOf(error) ?? ''
  if (FULL.has(errno)) return homeFull(path, error)
  if (!NOT_WRITABLE.has(errno)) return error
  return new CordonError(
    'home.read-only',
    { exit: 5, hint: 'Make the folder writable for you, or point CORDON_HOME at one that is' },
    `Cannot write to ${JSON.stringify(path)}`,
    error,
  )
}

export function homeFull(path: string, cause?: unknown): CordonError {
  return new CordonError(
    'home.full',
    { exit: 5, hint: 'Free some space there (see `cordon doctor`), then try again' },
    `Cannot write to ${JSON.stringify(path)}: the disk is full`,
    cause,
  )
}
