/**
 * The audit log of a home: append-only, hash-chained, anchored outside itself. Records what happened, never a value. A
 * damaged log opens too, for reading; it takes no record until the owner reseals it.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CordonError } from '../kernel/error.ts'
import type { Audit, Log, Redactor } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { Changes } from '../text/changes.ts'
import { beginCall } from './begin-call.ts'
import { createValueDescriber, type ValueDescriber } from './value-describer.ts'
import { readHashKey } from './hash-key.ts'
import type { WriterSettings } from './log-writer.ts'
import { openSealedLog, type SealedLog } from './sealed-log.ts'
import { proveRecord } from './prove-record.ts'
import { findLast, matcherFor, readAfter } from './search-log.ts'
import { createSpeller, type Speller, spellEvent } from './spell-event.ts'

export interface AuditOptions {
  /** The owner of the home. */
  readonly owner: PrincipalId
  /** Holds the log, its hash key, and the files kept by recovery and reseal. */
  readonly folder: string
  /** The file that holds the end of the log; best outside `folder`, so that the two are not lost together. */
  readonly anchorPath: string
  readonly redactor: Redactor
  readonly log: Log
  readonly now?: () => number
  /** How long a record of `append` may wait for its sync. */
  readonly syncDelayMs?: number
  /** The length after which the log goes on in a new file. */
  readonly fileBytes?: number
  /** Syncs the log to disk; a test counts the syncs or makes them fail. */
  readonly fdatasync?: (fd: number) => Promise<void>
}

export interface OwnedAudit extends Audit, AsyncDisposable {
  /** The reason why the log takes no records, for people; undefined while the log is sound. */
  readonly damage: string | undefined
}

export async function openAudit(options: AuditOptions): Promise<OwnedAudit> {
  const path = join(options.folder, 'audit.jsonl')
  const written = new Changes()
  const onWrite = (): void => written.announce()
  const { log, describe, spell } = await openParts(path, { ...options, onWrite }).catch(
    (cause: unknown) => {
      throw openFailed(path, cause)
    },
  )
  const writing = { audit: log, describe, spell, log: options.log }
  return {
    get damage() {
      return log.damage
    },
    append: (event) => log.append(spellEvent(event, spell)),
    appendDurable: async (event) => await log.appendDurable(spellEvent(event, spell)),
    begin: (call, verdict, effect, grounds) =>
      beginCall(writing, call, verdict, { effect, grounds }),
    async grown(after, signal) {
      await written.until(() => log.seq > after, signal)
      return log.seq
    },
    async read({ after, limit }) {
      return after === undefined
        ? await findLast(path, log.size, limit, () => true)
        : await readAfter(path, log.size, after, limit)
    },
    async search(query) {
      return await findLast(path, log.size, query.limit, matcherFor(query))
    },
    prove: async (seq) => await proveRecord(path, log.size, seq),
    verify: (head) => log.verify(head),
    snapshot: () => log.snapshot(),
    reseal: (owner) => log.reseal(owner),
    [Symbol.asyncDispose]: () => log.close(),
  }
}

interface Parts {
  readonly log: SealedLog
  readonly describe: ValueDescriber
  readonly spell: Speller
}

async function openParts(
  path: string,
  options: AuditOptions & Pick<WriterSettings, 'onWrite'>,
): Promise<Parts> {
  const { folder, anchorPath, redactor, now = Date.now, syncDelayMs = 50 } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const hashKey = await readHashKey(folder)
  const spell = createSpeller(redactor)
  const settings = { ...options, now, syncDelayMs, spell }
  return {
    log: await openSealedLog({ log: path, anchor: anchorPath }, settings),
    describe: createValueDescriber(hashKey, redactor),
    spell,
  }
}

function openFailed(path: string, cause: unknown): CordonError {
  return new CordonError(
    'audit.open-failed',
    { exit: 5, hint: 'Run `cordon doctor` to see what is wrong with the home folder' },
    `Cannot open the audit log ${JSON.stringify(path)}`,
    cause,
  )
}
