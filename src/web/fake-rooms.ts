/** The rooms that the web needs, in memory, for tests. Never part of the program. */
import type { Api, Input, Output, Route } from '../kernel/api.ts'
import { parseInput } from '../kernel/api-inputs.ts'
import type { AuditEvent, AuditRecord } from '../kernel/audit-record.ts'
import type { Audit, Log, Sessions, StoredSession } from '../kernel/ports.ts'
import { never } from '../kernel/test-never.ts'

export interface FakeRooms {
  readonly api: Api
  readonly sessions: Sessions
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly log: Log
  readonly now: () => number
  readonly calls: { route: Route; input: unknown; signal: AbortSignal | undefined }[]
  readonly events: AuditEvent[]
  readonly lines: { message: string; fields: Readonly<Record<string, unknown>> | undefined }[]
  readonly stored: Map<string, StoredSession>
  wait(ms: number): void
}

type Answers = { [R in Route]?: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>> }

export function createFakeRooms(answers: Answers = {}): FakeRooms {
  const [calls, events, lines]: [FakeRooms['calls'], AuditEvent[], FakeRooms['lines']] = [
    [],
    [],
    [],
  ]
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
    calls,
    events,
    lines,
    stored,
    now: () => time,
    wait: (ms) => {
      time += ms
    },
    log: { info: write, warn: write, error: write },
    api: {
      async call(route, unchecked, signal = never) {
        const input = parseInput(route, unchecked) // as the real one does
        calls.push({ route, input, signal })
        const answer = answers[route]
        if (!answer) throw new TypeError(`The fake has no answer for ${route}`)
        return await answer(input, signal)
      },
    },
    sessions: {
      add: async (session) => void stored.set(session.cookieHash, session),
      // Expired ones too: that a session has ended is also the web's own business.
      find: async (hash) => stored.get(hash),
      remove: async (hash) => void stored.delete(hash),
    },
    audit: { append, appendDurable: async (event) => append(event) },
  }
}
