/** Memory over a real store, for tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import type { FactSource, Memory, NewFact } from '../../src/ports/memory-port.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { OWNER, type PrincipalId } from '../../src/kernel/principal.ts'
import { type Label, OWN_WORDS } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { deliver, OWNER_SINK } from '../../src/labels/sink.ts'
import { createMemory } from '../../src/memory/create-memory.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createRedactor } from '../../src/vault/redactor.ts'

export interface MemoryHouse extends AsyncDisposable {
  readonly memory: Memory
  readonly file: string
  readonly events: readonly AuditEvent[]
  readonly redactor: ReturnType<typeof createRedactor>
  /** The memory of somebody else in the same store. */
  of(owner: PrincipalId): Memory
  /** Milliseconds; changed by the test. */
  now: number
}

export const log: Log = { info() {}, warn() {}, error() {} }

/** Closed and opened again, the same folder holds the same memory; it is removed by the one that made it. */
export async function openMemoryHouse(
  folder?: string,
  owner: PrincipalId = OWNER.id,
): Promise<MemoryHouse> {
  const place = folder ?? mkdtempSync(path.join(tmpdir(), 'cordon-memory-'))
  const file = path.join(place, 'state.db')
  const store = await openStore({ sqlitePath: file, log })
  const events: AuditEvent[] = []
  const redactor = createRedactor()
  const audit = {
    async appendDurable(event: AuditEvent) {
      events.push(event)
      return { seq: events.length, hash: '' }
    },
  }
  const time = { now: Date.parse('2026-11-16T10:00:00.000Z') }
  const of = (principal: PrincipalId) => {
    const { memory: rows } = store.forOwner(principal)
    const deps = { owner: principal, rows, audit, log, redactor, now: () => time.now }
    return createMemory(deps, async () => 'state')
  }
  return Object.assign(time, {
    memory: of(owner),
    file,
    events,
    redactor,
    of,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      if (folder === undefined) rmSync(place, { recursive: true })
    },
  })
}

export function factOf(
  text: string,
  label: Label = OWN_WORDS,
  source: Partial<FactSource> = {},
): NewFact {
  return {
    text: new Labelled(text, { label }),
    source: { channel: 'terminal', message: `remember that ${text}`, ...source },
  }
}

export function external(...servers: readonly string[]): Label {
  return { integrity: 'external', level: 'sensitive', origins: new Set(servers) }
}

export function bare(value: Labelled | undefined): unknown {
  const opened = value && deliver(value, OWNER_SINK)
  return opened?.kind === 'shown' ? opened.value : undefined
}
