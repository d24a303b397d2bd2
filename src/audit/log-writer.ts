/**
 * The only writer of the log. When `append` returns, the whole line is in the file, or none of it. Never acknowledges a
 * record that could not be written, and never writes after a failed sync.
 */
import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import type { AuditReceipt } from '../kernel/audit-record.ts'
import { CordonError } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'
import { type Head, sealEvent } from './audit-line.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { beginFile, lastOf } from './log-files.ts'
import type { Anchor } from './anchor.ts'
import type { SpelledEvent, Speller } from './spell-event.ts'

export interface WriterSettings {
  readonly log: Log
  readonly now: () => number
  readonly syncDelayMs: number
  readonly spell: Speller
  readonly fdatasync?: (fd: number) => Promise<void>
  /** The length after which the log goes on in a new file. */
  readonly fileBytes?: number
  /** Called after each write, so that readers can wait for the next record. */
  readonly onWrite?: () => void
}

const syncToDisk = promisify(fdatasync)

const FILE_BYTES = 64 * 2 ** 20

export class LogWriter {
  readonly #path: string
  /** The last file, and the offset at which it begins. */
  #fd: number
  #start: number
  /** Older files: closed after the next sync, since one may be under way on them. */
  #retired: number[] = []
  readonly #anchor: Anchor
  readonly #settings: WriterSettings
  readonly #group: GroupCommit
  readonly #clock: () => string
  /** `#head` is the end of the file; `#sealed` is its end after `#unwritten` is written. */
  #head: Head
  #sealed: Head
  #unwritten = ''
  #batch: PromiseWithResolvers<void> | undefined
  #isLate = false
  #refusal: CordonError | undefined
  #closing: Promise<void> | undefined

  /** Continues the log that ends at `head`; creates a missing file. */
  constructor(path: string, head: Head, anchor: Anchor, settings: WriterSettings) {
    const last = lastOf(path)
    this.#path = path
    this.#fd = openSync(last.path, 'a', 0o600)
    this.#start = last.start
    this.#head = head
    this.#sealed = head
    this.#anchor = anchor
    this.#settings = settings
    this.#clock = createClock(settings.now)
    this.#group = createGroupCommit(() => this.#sync(), settings.syncDelayMs, settings.log)
  }

  /** The end of the log now, synced or not. */
  get head(): Head {
    return this.#head
  }

  append(event: SpelledEvent): AuditReceipt {
    const receipt = this.#seal(event)
    this.#write()
    return receipt
  }

  /** Like `append`, batched: all calls within the same microtask share one write. */
  appendSoon(event: SpelledEvent): Promise<void> {
    this.#seal(event)
    if (!this.#batch) {
      this.#batch = Promise.withResolvers<void>()
      queueMicrotask(() => this.#writeBatch())
    }
    return this.#batch.promise
  }

  /** Like `append`, deferred: written with the next write, at the end of this event-loop turn at the latest. */
  appendLater(event: SpelledEvent): void {
    this.#seal(event)
    if (this.#isLate) return
    this.#isLate = true
    setImmediate(() => this.#writeLate())
  }

  /** Resolves when everything appended before this call is on disk. */
  async flush(): Promise<void> {
    if (this.#anchor.head.seq < this.#head.seq) await this.#group.commit()
  }

  #seal(event: SpelledEvent): AuditReceipt {
    const refusal = this.#refusal ?? this.#group.failure
    if (refusal) throw refusal
    const { head, line } = sealEvent(event, this.#clock(), this.#sealed)
    this.#sealed = head
    this.#unwritten += line
    return head
  }

  #writeBatch(): void {
    try {
      this.#write()
    } catch {
      // Every caller that waits for the batch gets the error.
    }
  }

  #writeLate(): void {
    this.#isLate = false
    try {
      this.#write()
    } catch (cause) {
      this.#settings.log.error('The end of a tool call could not be written', { cause })
    }
  }

  /** Writes all sealed lines, wholly or not at all. */
  #write(): void {
    const batch = this.#batch
    const lines = this.#unwritten
    this.#batch = undefined
    this.#unwritten = ''
    if (lines === '') return
    try {
      this.#changeFile()
      writeWhole(this.#fd, lines, this.#sealed.bytes - this.#head.bytes)
    } catch (cause) {
      this.#refusal ??= cutBack(this.#fd, this.#head.bytes - this.#start)
      this.#sealed = this.#head
      const failure = writeFailed(cause)
      batch?.reject(failure)
      throw failure
    }
    this.#head = this.#sealed
    this.#group.commitSoon()
    batch?.resolve()
    this.#settings.onWrite?.()
  }

  /** A full file is synced before the next one begins: the anchor follows the syncs of the new file alone. */
  #changeFile(): void {
    const { fileBytes = FILE_BYTES } = this.#settings
    const { bytes } = this.#head
    if (bytes - this.#start < fileBytes) return
    try {
      fdatasyncSync(this.#fd)
    } catch (cause) {
      this.#refusal = writeFailed(cause) // what is on disk is not known any more
      throw cause
    }
    const next = beginFile(this.#path, bytes)
    this.#retired.push(this.#fd)
    this.#fd = next
    this.#start = bytes
  }

  /** Flushes, anchors and closes; later appends are refused. Does not throw: it logs. */
  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #close(): Promise<void> {
    this.#refusal ??= closed()
    this.#writeBatch()
    try {
      await this.flush()
      this.#anchor.sync()
    } catch (cause) {
      this.#settings.log.error('The audit log was closed before all of it was on disk', { cause })
    } finally {
      this.#anchor.close()
      for (const fd of [...this.#retired, this.#fd]) closeSync(fd)
    }
  }

  /** The anchor is written after the sync, and only up to the end that the file had before the sync. */
  async #sync(): Promise<void> {
    const reached = this.#head
    const retired = this.#retired.splice(0)
    try {
      await (this.#settings.fdatasync ?? syncToDisk)(this.#fd)
    } finally {
      for (const fd of retired) closeSync(fd)
    }
    this.#anchor.write(reached)
  }
}

/** The current time as ISO text. Many records fall into one millisecond, so the last text is reused. */
function createClock(now: () => number): () => string {
  let last = Number.NaN
  let spelled = ''
  return () => {
    const time = now()
    if (time !== last) spelled = new Date(time).toISOString()
    last = time
    return spelled
  }
}

function writeWhole(fd: number, lines: string, bytes: number): void {
  const written = writeSync(fd, lines)
  if (written < bytes) throw new Error(`Only ${written} of ${bytes} bytes were written`)
}

/** Truncates a half-written line away. If even that fails, the log must not grow past it. */
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
