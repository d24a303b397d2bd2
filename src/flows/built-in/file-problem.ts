/** Why a file cannot be read or written. The code selects the edge of the flow; the message never quotes the content. */
import type { CallFailure } from '../../kernel/call-failure.ts'

type Kind = 'missing' | 'forbidden' | 'error'

const KINDS: ReadonlyMap<string, readonly [Kind, string]> = new Map([
  ['ENOENT', ['missing', '']],
  ['ENOTDIR', ['missing', '']],
  ['EACCES', ['forbidden', 'may not be opened by you']],
  ['EPERM', ['forbidden', 'may not be opened by you']],
  ['EROFS', ['forbidden', 'is on a disk that cannot be written']],
  ['ELOOP', ['forbidden', 'is a link']],
  ['EISDIR', ['error', 'is a folder']],
  ['ENXIO', ['error', 'is not a plain file']],
  ['ENAMETOOLONG', ['error', 'has too long a name']],
  ['EAGAIN', ['error', 'is held by another program']],
  ['ESTALE', ['error', 'was moved while it was opened']],
  ['ENOSPC', ['error', 'does not fit on the disk']],
  ['EDQUOT', ['error', 'does not fit on the disk']],
])

export class FileProblem extends Error {
  override readonly name = 'FileProblem'
  readonly code: CallFailure

  /** `what` is the subject of the sentence: the file. */
  constructor(kind: Kind, what: string) {
    super(BEGINNINGS[kind](what))
    this.code = CODES[kind]
  }

  /** Converts a system error about file access; any other error is a bug and returned unchanged. */
  static from(cause: unknown, what: string): unknown {
    if (cause instanceof FileProblem) return cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const [kind, why] = KINDS.get(code) ?? [undefined, '']
    return kind === undefined ? cause : new FileProblem(kind, `${what} ${why}`.trim())
  }
}

const CODES: Readonly<Record<Kind, CallFailure>> = {
  missing: 'call.missing',
  forbidden: 'call.forbidden',
  error: 'call.unusable',
}

const BEGINNINGS: Readonly<Record<Kind, (what: string) => string>> = {
  missing: (what) => `${what} was not found`,
  forbidden: (what) => `Permission denied: ${what}`,
  error: (what) => `The file cannot be used: ${what}`,
}
