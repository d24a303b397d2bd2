/** SQLite errors as a `CordonError`. An error not about the file or its disk is a bug, and is passed on unchanged. */
import { CordonError, type ErrorSpec } from '../kernel/error.ts'

interface Problem extends ErrorSpec {
  readonly code: string
  readonly reason: string
}

const DAMAGED: Problem = {
  code: 'store.damaged',
  reason: 'it is damaged, or not a database of Cordon',
  exit: 5,
  hint: 'Move the file away and put a copy from a backup in its place; Cordon never replaces it on its own',
}
const NOT_WRITABLE: Problem = {
  code: 'store.read-only',
  reason: 'it cannot be written',
  exit: 5,
  hint: 'Make the file and its folder writable for you, then try again',
}

const FULL: Problem = {
  code: 'store.full',
  reason: 'the disk is full',
  exit: 5,
  hint: 'Free some space there (see `cordon doctor`), then try again',
}

/** By SQLite's primary result code (https://sqlite.org/rescode.html), or by the errno code of the file system. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  5: {
    code: 'store.busy',
    reason: 'another program keeps it locked',
    exit: 5,
    hint: 'Close the other program that uses the file, then try again',
  },
  8: NOT_WRITABLE,
  10: {
    code: 'store.disk',
    reason: 'the disk reports an error',
    exit: 5,
    hint: 'Check the disk (`cordon doctor`), then try again',
  },
  11: DAMAGED,
  13: FULL,
  14: NOT_WRITABLE,
  26: DAMAGED,
  EACCES: NOT_WRITABLE,
  EDQUOT: FULL,
  ENOSPC: FULL,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
}

export function explainSqliteError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error
  const answer = 'errcode' in error ? Number(error.errcode) % 256 : String(error.code)
  // SQLite reports a format number that it does not know as an error without a code of its own.
  const isOdd = error.message === 'unsupported file format'
  const problem = isOdd ? DAMAGED : PROBLEMS[answer]
  return problem ? sqliteProblem(path, problem, error) : error
}

export function sqliteDamaged(path: string, finding: string): CordonError {
  return sqliteProblem(path, DAMAGED, new Error(finding))
}

function sqliteProblem(path: string, problem: Problem, cause: Error): CordonError {
  const message = `Cannot use the database ${JSON.stringify(path)}: ${problem.reason}`
  return new CordonError(problem.code, problem, message, cause)
}
