/** A home for the tests of this room: a real folder, a redactor that knows one secret, and the log's raw bytes. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditKind } from '../kernel/audit-kinds.ts'
import type { AuditEvent } from '../kernel/audit-record.ts'
import type { Log, Redactor } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import { type AuditOptions, openAudit, type OwnedAudit } from './open-audit.ts'

/** A value on lease; it does not have the shape of a credential. */
export const LENT = 'correct horse battery'

const redactor: Redactor = {
  redact: (text) => text.replaceAll(LENT, '[redacted]'),
  stream: () => {
    throw new Error('not needed here')
  },
}

export interface TestHome extends AsyncDisposable {
  readonly folder: string
  readonly logPath: string
  readonly anchorPath: string
  /** Lines that were logged, as `level message`. */
  readonly logged: string[]
  open(options?: Partial<AuditOptions>): Promise<OwnedAudit>
  /** The bytes of the log file. */
  bytes(): Promise<Buffer>
  write(bytes: Uint8Array | string): Promise<void>
}

export async function createTestHome(): Promise<TestHome> {
  const home = await mkdtemp(join(tmpdir(), 'cordon-audit-'))
  const folder = join(home, 'audit')
  const logPath = join(folder, 'audit.jsonl')
  const anchorPath = join(home, 'audit-head')
  const logged: string[] = []
  const log: Log = {
    info: (message) => logged.push(`info ${message}`),
    warn: (message) => logged.push(`warn ${message}`),
    error: (message) => logged.push(`error ${message}`),
  }
  return {
    folder,
    logPath,
    anchorPath,
    logged,
    open: (options) =>
      openAudit({ owner: OWNER.id, folder, anchorPath, redactor, log, ...options }),
    bytes: () => readFile(logPath),
    write: (bytes) => writeFile(logPath, bytes),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}

export function event(subject: string, kind: AuditKind = 'kernel.start'): AuditEvent {
  return { kind, principal: OWNER.id, subject, details: { note: `about ${subject}` } }
}

/** Writes `count` records and closes the log, so that all of them are anchored. */
export async function fill(home: TestHome, count: number): Promise<void> {
  await using audit = await home.open()
  for (let n = 1; n <= count; n += 1) audit.append(event(`thing-${n}`))
}
