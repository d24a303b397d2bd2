/** Audit records of a connection: one for each state that it enters. Never holds a credential. */
import type { Audit } from '../../kernel/ports.ts'
import type { Connection } from './connection.ts'

/** Records nothing if the state is unchanged, unless the connection begins. */
export function recordState(
  audit: Pick<Audit, 'append'>,
  before: Connection,
  connection: Connection,
): void {
  const { id, state, principal, service, attempts } = connection
  if (state.kind === before.state.kind && state.kind !== 'start') return
  if (state.kind === 'awaiting-vault') return // the vault records how it was opened
  const reason = state.kind === 'failed' ? { reason: state.reason } : {}
  const details = { connection: id, attempts, ...reason }
  const kind = `setup.${state.kind === 'offering' ? 'asking' : state.kind}` as const
  audit.append({ kind, principal, subject: service.slug, details })
}
