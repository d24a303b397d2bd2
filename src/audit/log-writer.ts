/**
 * The one place that writes to the log. A line is in the file, whole, when `append` returns, or it is not there at all.
 * Never acknowledges a record that could not be written, and never writes after a failed sync.
 */
import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import type { AuditEvent, AuditRecord } from '../kernel/audit-record.ts'
import { CordonError } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'
import { type Head, sealRecord } from './audit-line.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import type { Anchor } from './head-anchor.ts'

export interface WriterSettings {
  readonly log: Log
  readonly now: () => number
  readonly syncDelayMs: number
  /** Takes out of an event what must never be written. */
  readonly clean: (event: AuditEvent) => AuditEvent
  readonly fdatasync?: (fd: number) => Promise<void>
}

const syncToDisk = promisify(fdatasync)

export class LogWriter {
  readonly #fd: number
  readonly #anchor: Anchor
  readonly #settings: WriterSettings
  readonly #group: GroupCommit
  #head: Head
  #refusal: CordonError | undefined
  #closing: Promise<void> | undefined

  /** Continues the log that reaches `head`; the file is made where there is none. */
  constructor(path: string, head: Head, anchor: Anchor, settings: WriterSettings) {
    this.#fd = openSync(path, 'a', 0o600)
    this.#head = head
    this.#anchor = anchor
    this.#settings = settings
    this.#group = createGroupCommit(() => this.#sync(), settings.syncDelayMs, settings.log)
  }

  /** How far the log reaches now, synced or not. */
  get head(): Head {
    return this.#head
  }

  append(event: AuditEvent): AuditRecord {
    const refusal = this.#refusal ?? this.#group.failure
    if (refusal) throw refusal
    const at = new Date(this.#settings.now()).toISOString()
    const { record, line } = sealRecord(this.#settings.clean(event), at, this.#head)
    try {
      writeWhole(this.#fd, line)
    } catch (cause) {
      this.#refusal = cutBack(this.#fd, this.#head.bytes)
      throw writeFailed(cause)
    }
    this.#head = { seq: record.seq, hash: record.hash, bytes: this.#head.bytes + line.length }
    this.#group.commitSoon()
    return record
  }

  /** Resolves when everything appended before this call is on disk. */
  async flush(): Promise<void> {
    if (this.#anchor.head.seq < this.#head.seq) await this.#group.commit()
  }

  /** Flushes, anchors and closes; later appends are refused. Does not throw: it logs. */
  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    this.#refusal ??= closed()
    try {
      await this.flush()
      this.#anchor.sync()
    } catch (cause) {
      this.#settings.log.error('The audit log was closed before all of it was on disk', { cause })
    } finally {
      this.#anchor.close()
      closeSync(this.#fd)
    }
  }

  /** The anchor is written after the sync, and only up to what was in the file before it. */
  async #sync(): Promise<void> {
    const reached = this.#head
    await (this.#settings.fdatasync ?? syncToDisk)(this.#fd)
    this.#anchor.write(reached)
  }
}

function writeWhole(fd: number, line: Buffer): void {
  const written = writeSync(fd, line)
  if (written < line.length) throw new Error(`Only ${written} of ${line.length} bytes were written`)
}

/** Takes a half-written line away again. If even that fails, the log must not grow past it. */
function cutBack(fd: number, bytes: number): CordonError | undefined {
  try {
    ftruncateSync(fd, bytes)
    return undefined
  } catch (cause) {
    return writeFailed(cause)
  }
}

export function writeFailed(cause: unknown): CordonError {
  return new CordonError(
    'audit.write-failed',
    { exit: 5, hint: 'Free some space on the disk of the home folder (`df -h`), then try again' },
    'Cannot write to the audit log',
    cause,
  )
}

function closed(): CordonError {
  return new CordonError(
    'audit.closed',
    { exit: 5, hint: 'Run `cordon up`, then try again' },
    'Cannot write to the audit log: it is closed',
  )
}
