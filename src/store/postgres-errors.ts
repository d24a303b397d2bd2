/**
 * PostgreSQL and connection errors as a `CordonError`. Shows host and database, never the URL. An error that is not
 * about reaching or using the server is a bug, and is passed on unchanged.
 */
import { CordonError, type ErrorSpec } from '../kernel/error.ts'
import type { PostgresTarget } from '../text/postgres-target.ts'

interface Problem extends ErrorSpec {
  readonly code: string
  readonly reason: string
  /** Codes of Node, of the driver, or SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly when: RegExp
}

const PROBLEMS: readonly Problem[] = [
  {
    code: 'store.denied',
    when: /^(?:28...|42501|25006)$/,
    reason: 'the server does not let this user in, or not write',
    exit: 5,
    hint: 'Check user and password in DATABASE_URL, and that the user may create tables',
  },
  {
    code: 'store.no-database',
    when: /^3D000$/,
    reason: 'the server has no such database',
    exit: 5,
    hint: 'Create it with `createdb`, then try again',
  },
  {
    code: 'store.foreign',
    when: /^42P07$/,
    reason: 'another program keeps tables of the same name there',
    exit: 5,
    hint: 'Give Cordon a database of its own with `createdb`, and name that one in DATABASE_URL',
  },
  {
    code: 'store.certificate',
    when: /CERT|^ERR_TLS|^ERR_SSL|^UNABLE_TO_/,
    reason: 'its TLS certificate cannot be verified, or it offers none',
    exit: 5,
    hint: 'Name the authority in NODE_EXTRA_CA_CERTS, or add `?sslmode=require` to accept any certificate',
  },
  {
    code: 'store.unreachable',
    when: /^53300$/,
    reason: 'it has no connection left',
    exit: 5,
    hint: 'Raise the limit of connections there, or end other programs that use it, then try again',
  },
  {
    code: 'store.unreachable',
    when: /^(?:08...|53...|57P..)$|^CONNECT|^(?:ECONN|EHOST|ENET|EAI_|EPIPE|ETIMEDOUT|ENOTFOUND|ENOENT|EACCES)/,
    reason: 'the server cannot be reached',
    exit: 5,
    hint: 'Check that the server runs and that DATABASE_URL leads to it, then try again',
  },
]

export function explainPostgresError(target: PostgresTarget, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error) || error instanceof CordonError) return error
  const problem = PROBLEMS.find(({ when }) => when.test(String(error.code)))
  if (!problem) return error
  const place = `${JSON.stringify(target.database)} on ${JSON.stringify(target.host)}`
  const message = `Cannot use the database ${place}: ${problem.reason}`
  return new CordonError(problem.code, problem, message, error)
}
