/** Fake ports for the web room, in memory, for tests. Never part of the program. */
import { createFakeApi, type FakeAnswers, type FakeCall } from '../api/fake-api.ts'
import type { ApiServer } from '../api/server.ts'
import type { AuditEvent, AuditRecord } from '../kernel/audit-record.ts'
import type { Audit, Log } from '../kernel/ports.ts'
import type { Sessions, StoredSession } from '../ports/session-port.ts'
import { OWNER, type PrincipalId } from '../kernel/principal.ts'

export interface FakeDeps {
  readonly owner: PrincipalId
  readonly api: ApiServer
  readonly sessions: Sessions
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly log: Log
  readonly now: () => number
  readonly calls: FakeCall[]
  readonly events: AuditEvent[]
  readonly lines: { message: string; fields: Readonly<Record<string, unknown>> | undefined }[]
  readonly stored: Map<string, StoredSession>
  wait(ms: number): void
}

export function createFakeDeps(answers: FakeAnswers = {}): FakeDeps {
  const [calls, events, lines]: [FakeDeps['calls'], AuditEvent[], FakeDeps['lines']] = [[], [], []]
  const stored = new Map<string, StoredSession>()
  let time = Date.parse('2030-01-01T00:00:00Z')
  const write = (message: string, fields?: Readonly<Record<string, unknown>>): void => {
    lines.push({ message, fields })
  }
  const append = (event: AuditEvent): AuditRecord => {
    events.push(event)
    return { ...event, seq: events.length, at: '', prev: '', hash: '' }
  }
  return {
    owner: OWNER.id,
    calls,
    events,
    lines,
    stored,
    now: () => time,
    wait: (ms) => {
      time += ms
    },
    log: { info: write, warn: write, error: write },
    api: createFakeApi(answers, (call) => calls.push(call)),
    sessions: {
      add: async (session) => void stored.set(session.cookieHash, session),
      // Returns expired sessions too: the web room must check the expiry itself.
      find: async (hash) => stored.get(hash),
      remove: async (hash) => void stored.delete(hash),
    },
    audit: { append, appendDurable: async (event) => append(event) },
  }
}
