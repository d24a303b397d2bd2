/**
 * Audit records of a server's life. A start that cannot be recorded does not happen; an end has happened anyway, so a
 * failure to record it is logged.
 */
import type { AuditEvent } from '../../kernel/audit-record.ts'
import type { Audit, Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'

const MAX_REASON = 500

export interface RecordDeps {
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly log: Log
  readonly owner: PrincipalId
}

export interface LifeRecords {
  /** Throws if the record cannot be written. */
  started(transport: string): void
  stopped(): void
  crashed(reason: string): void
  givenUp(reason: string): Promise<void>
}

export function createLifeRecords(deps: RecordDeps, server: ServerId): LifeRecords {
  const { audit, log, owner } = deps
  const about = (kind: AuditEvent['kind'], details: Record<string, string>): AuditEvent => ({
    kind,
    principal: owner,
    subject: server,
    details,
  })
  const notWritten = (error: unknown): void =>
    log.error('The end of a server is not in the audit log', { server, error })
  const note = (event: AuditEvent): void => {
    try {
      audit.append(event)
    } catch (error) {
      notWritten(error)
    }
  }
  return {
    started: (transport) => void audit.append(about('servers.start', { transport })),
    stopped: () => note(about('servers.stop', {})),
    crashed: (reason) => note(about('servers.crash', { reason: reason.slice(0, MAX_REASON) })),
    async givenUp(reason) {
      const event = about('servers.disabled', { reason: reason.slice(0, MAX_REASON) })
      await audit.appendDurable(event).catch(notWritten)
    },
  }
}
