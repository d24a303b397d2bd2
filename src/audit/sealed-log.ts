/**
 * The log as a whole: while sound, it takes records; once damaged, it refuses them but can still be read and verified.
 * Only the owner's `reseal` leads from damaged to sound, and it keeps the old log.
 */
import { readFile } from 'node:fs/promises'
import type { AuditReceipt, AuditSnapshot, VerifyReport } from '../kernel/audit-record.ts'
import { CordonError } from '../kernel/error.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { readAnchor, spellAnchor } from './anchor.ts'
import { type LogWriter, writeFailed } from './log-writer.ts'
import { partsOf, sizeOf } from './log-files.ts'
import { type LogPaths, type LogSettings, type OpenedLog, openLog } from './open-log.ts'
import { type Resealed, resealLog } from './reseal-log.ts'
import type { SpelledEvent } from './spell-event.ts'
import { verifyLog } from './verify-log.ts'

export async function openSealedLog(paths: LogPaths, settings: LogSettings): Promise<SealedLog> {
  const opened = await openLog(paths, settings)
  if (opened.kind === 'damaged') {
    settings.log.error('The audit log is damaged and takes no records', { problem: opened.problem })
  }
  return new SealedLog(paths, settings, opened)
}

export class SealedLog {
  readonly #paths: LogPaths
  readonly #settings: LogSettings
  #opened: OpenedLog
  #resealing: Promise<Resealed> | undefined

  constructor(paths: LogPaths, settings: LogSettings, opened: OpenedLog) {
    this.#paths = paths
    this.#settings = settings
    this.#opened = opened
  }

  get damage(): string | undefined {
    return this.#opened.kind === 'damaged' ? this.#opened.problem : undefined
  }

  append(event: SpelledEvent): AuditReceipt {
    return this.#writer().append(event)
  }

  appendSoon(event: SpelledEvent): Promise<void> {
    return this.#writer().appendSoon(event)
  }

  appendLater(event: SpelledEvent): void {
    this.#writer().appendLater(event)
  }

  async appendDurable(event: SpelledEvent): Promise<AuditReceipt> {
    const writer = this.#writer()
    const receipt = writer.append(event)
    await writer.flush()
    return receipt
  }

  /** The number of the last record; of a damaged log nobody knows it. */
  get seq(): number {
    return this.#opened.kind === 'sound' ? this.#opened.writer.head.seq : 0
  }

  /** The readable bytes: all acknowledged ones, or the whole file of a damaged log. */
  get size(): number {
    return this.#opened.kind === 'sound' ? this.#opened.writer.head.bytes : sizeOf(this.#paths.log)
  }

  async verify(noted?: string): Promise<VerifyReport> {
    const anchor = readAnchor(this.#paths.anchor) // before the flush writes over it
    if (this.#opened.kind === 'damaged') {
      return await verifyLog(this.#paths.log, this.size, { anchor, noted })
    }
    const { writer } = this.#opened
    await writer.flush().catch(() => {}) // already reported; the rest can still be verified
    const written = writer.head
    return await verifyLog(this.#paths.log, written.bytes, { anchor, written, noted })
  }

  /** The whole records that are on disk now, and their anchor. A damaged log is taken as it is. */
  async snapshot(): Promise<AuditSnapshot> {
    const { log, anchor: path } = this.#paths
    if (this.#opened.kind === 'damaged') {
      const anchor = await readFile(path).catch(() => Buffer.alloc(0))
      return { files: partsOf(log, this.size), anchor }
    }
    const { writer } = this.#opened
    await writer.flush()
    const { head } = writer
    return { files: partsOf(log, head.bytes), anchor: Buffer.from(spellAnchor(head)) }
  }

  /** Refuses a sound log. Concurrent calls share one reseal. */
  async reseal(owner: PrincipalId): Promise<Resealed> {
    this.#resealing ??= this.#reseal(owner).finally(() => {
      this.#resealing = undefined
    })
    return await this.#resealing
  }

  async close(): Promise<void> {
    if (this.#opened.kind === 'sound') await this.#opened.writer.close()
  }

  #writer(): LogWriter {
    if (this.#opened.kind === 'sound') return this.#opened.writer
    throw damaged(this.#opened.problem)
  }

  async #reseal(owner: PrincipalId): Promise<Resealed> {
    const { problem } = await this.verify()
    if (!problem) throw sound()
    await this.close()
    this.#opened = { kind: 'damaged', problem: problem.message }
    try {
      const resealed = await resealLog(this.#paths, this.#settings, owner, problem.message)
      this.#opened = await openLog(this.#paths, this.#settings)
      return resealed
    } catch (cause) {
      throw writeFailed(cause)
    }
  }
}

function damaged(problem: string): CordonError {
  return new CordonError(
    'audit.damaged',
    {
      exit: 5,
      hint: 'Run `cordon audit verify` to see what is wrong, then `cordon audit reseal` to keep this log and start a new one',
    },
    `Cannot write to the audit log, it is damaged: ${problem}`,
  )
}

function sound(): CordonError {
  return new CordonError(
    'audit.sound',
    { exit: 2, hint: 'Run `cordon audit verify` to see that it holds' },
    'Cannot reseal the audit log: nothing is wrong with it',
  )
}
