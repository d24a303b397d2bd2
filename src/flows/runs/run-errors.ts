/** Explains errors of the database. Runs stay stored and resume once the cause is gone, unless the file is damaged. */
import { CordonError } from '../../kernel/error.ts'
import type { PostgresTarget } from '../../text/postgres-target.ts'

interface KnownError {
  readonly code: string
  readonly when: RegExp
  readonly reason: string
  readonly hint: string
}

const FREE_SPACE = 'Free some space there (see `cordon doctor`); the runs go on by themselves'

/** By primary result code (https://sqlite.org/rescode.html), and by error codes of the file system. */
const OF_SQLITE: readonly KnownError[] = [
  {
    code: 'flows.disk-full',
    when: /^(?:13|ENOSPC|EDQUOT)$/,
    reason: 'the disk is full',
    hint: FREE_SPACE,
  },
  {
    code: 'flows.damaged',
    when: /^(?:11|26)$/,
    reason: 'it is damaged, or not a database',
    hint: 'Move the file away; runs that are in it are lost, and new ones can be started',
  },
  {
    code: 'flows.not-writable',
    when: /^(?:8|10|14|EACCES|EPERM|EROFS|EIO)$/,
    reason: 'it cannot be read or written',
    hint: 'Check the file, its folder and the disk (`cordon doctor`), then try again',
  },
  {
    code: 'flows.busy',
    when: /^(?:5|6)$/,
    reason: 'another program keeps it locked',
    hint: 'Close the other program that uses the file, then try again',
  },
]

/** By SQLSTATE, and by error codes of Node and of the driver. */
const OF_POSTGRES: readonly KnownError[] = [
  { code: 'flows.disk-full', when: /^53100$/, reason: 'its disk is full', hint: FREE_SPACE },
  {
    code: 'flows.denied',
    when: /^(?:28...|42501|25006|3D000)$/,
    reason: 'the server does not let this user in, or not write',
    hint: 'Check DATABASE_URL, and that the user may create a schema',
  },
  {
    code: 'flows.unreachable',
    when: /^53300$/,
    reason: 'it has no connection left',
    hint: 'Raise the limit of connections there, or end other programs that use it; the runs go on by themselves',
  },
  {
    code: 'flows.unreachable',
    when: /^(?:08...|53...|57P..)$|^CONNECT|^(?:ECONN|EHOST|ENET|EAI_|EPIPE|ETIMEDOUT|ENOTFOUND|ENOENT|EACCES)|CERT|^ERR_TLS|^ERR_SSL/,
    reason: 'the server cannot be reached',
    hint: 'Check that the server runs and that DATABASE_URL leads to it; the runs go on by themselves',
  },
]

export function explainSqlite(path: string, error: unknown): unknown {
  return explain(OF_SQLITE, JSON.stringify(path), error)
}

export function explainPostgres(target: PostgresTarget, error: unknown): unknown {
  const place = `${JSON.stringify(target.database)} on ${JSON.stringify(target.host)}`
  return explain(OF_POSTGRES, place, error)
}

/** The database does not answer now; the same statement may succeed later. */
export function isUnreachable(explained: unknown): boolean {
  return explained instanceof CordonError && explained.code === 'flows.unreachable'
}

/** The database of the store or of the runs is away: a run whose call has not left is tried again, not failed. */
export function isAway({ code }: CordonError): boolean {
  return code === 'store.unreachable' || code === 'flows.unreachable'
}

function explain(problems: readonly KnownError[], place: string, error: unknown): unknown {
  const code = codeOf(error)
  const problem = problems.find(({ when }) => code !== undefined && when.test(code))
  if (!problem) return error
  const message = `Cannot keep runs in the database ${place}: ${problem.reason}`
  return new CordonError(problem.code, { exit: 5, hint: problem.hint }, message, error)
}

/** Searches the causes too, since functions that open a database wrap the original error. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof CordonError) return undefined
  if ('errcode' in error) return String(Number(error.errcode) % 256)
  if ('code' in error) return String(error.code)
  return codeOf(error.cause)
}

/** The place is a path, or the name of a database. */
export function newerRuns(place: string): CordonError {
  return new CordonError(
    'flows.newer',
    { exit: 5, hint: 'Update Cordon; or use another place for runs, without those that are there' },
    `Cannot open the runs in ${JSON.stringify(place)}: a newer Cordon wrote them`,
  )
}

export function foreignRuns(place: string): CordonError {
  return new CordonError(
    'flows.damaged',
    {
      exit: 5,
      hint: 'Move the file away; runs that are in it are lost, and new ones can be started',
    },
    `Cannot open the runs in ${JSON.stringify(place)}: the file is damaged, or of another program`,
  )
}
