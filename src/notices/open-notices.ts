/**
 * Notices to the owner: raised by rooms, kept in the store, shown by every surface. A cause that comes again is counted;
 * a notice whose cause is gone is removed. Never holds a secret: every text passes the redactor.
 */
import { CordonError } from '../kernel/error.ts'
import type { NoticeKind, Noticing } from '../ports/notice-port.ts'
import type { Log, Redactor } from '../kernel/ports.ts'
import { Changes } from '../text/changes.ts'
import { createSerialQueue } from '../text/serial-queue.ts'
import { seenLine, seenText } from '../text/untrusted-text.ts'
import { describeNotice } from './describe-notice.ts'

interface NoticeKey {
  readonly kind: string
  readonly server: string
  readonly item: string
}

interface NoticeRow extends NoticeKey {
  readonly reason: string
  readonly since: string
  readonly last: string
  readonly count: number
  readonly isSeen: boolean
}

export interface NoticesDeps {
  readonly rows: {
    add(key: NoticeKey, news: { reason: string; at: string; times: number }): Promise<void>
    list(): Promise<readonly NoticeRow[]>
    markSeen(kind: string, server: string, at: string): Promise<void>
    remove(kind: string, server: string, items?: readonly string[]): Promise<void>
  }
  readonly log: Log
  readonly redactor: Pick<Redactor, 'redact'>
  readonly now: () => number
}

interface Notice extends Omit<NoticeRow, 'item'> {
  readonly id: string
  readonly items: readonly string[]
  readonly what: string
  readonly hint: string
}

export interface OwnedNotices extends Noticing, AsyncDisposable {
  /** Grows with every change that this process made. */
  readonly version: number
  /** Oldest first, those that were seen included. */
  list(): Promise<readonly Notice[]>
  /** Marks these notices as seen, or all. Throws if there is no such notice. */
  markSeen(ids?: readonly string[]): Promise<void>
  /** Resolves when `version` is above `after`, after 20 seconds, or when `signal` aborts. */
  changed(after: number, signal: AbortSignal): Promise<void>
}

/** The most items of one notice: a server that tries a thousand hosts fills no database. */
const MOST_ITEMS = 20
const LONGEST_ITEM = 200
const LONGEST_REASON = 300
/** Repetitions within this time are counted in memory, and written with the next one after it. */
const WRITE_EVERY_MS = 60_000
const WAIT_MS = 20_000

interface Known {
  writtenAt: number
  uncounted: number
}

export async function openNotices(deps: NoticesDeps): Promise<OwnedNotices> {
  return new StoredNotices(deps, await deps.rows.list())
}

class StoredNotices implements OwnedNotices {
  readonly #deps: NoticesDeps
  readonly #serially = createSerialQueue()
  readonly #changes = new Changes()
  /** By notice and item. Of other processes' notices only those are known that were there at the start. */
  readonly #known = new Map<string, Map<string, Known>>()

  constructor(deps: NoticesDeps, rows: readonly NoticeRow[]) {
    this.#deps = deps
    for (const { kind, server, item } of rows)
      this.#itemsOf(kind, server).set(item, { writtenAt: 0, uncounted: 0 })
  }

  get version(): number {
    return this.#changes.count
  }

  raise(kind: NoticeKind, server: string, items: readonly string[] = [''], reason = ''): void {
    const why = this.#clean(reason, LONGEST_REASON)
    for (const item of items)
      this.#note({ kind, server, item: this.#clean(item, LONGEST_ITEM) }, why)
  }

  resolve(kind: NoticeKind, server: string, items?: readonly string[]): void {
    const cleaned = items?.map((item) => this.#clean(item, LONGEST_ITEM))
    if (cleaned?.length === 0) return
    for (const item of cleaned ?? []) this.#itemsOf(kind, server).delete(item)
    if (!cleaned) this.#known.delete(idOf(kind, server))
    this.#write(() => this.#deps.rows.remove(kind, server, cleaned))
  }

  async list(): Promise<readonly Notice[]> {
    return await this.#serially(async () => groupRows(await this.#deps.rows.list()))
  }

  async markSeen(ids?: readonly string[]): Promise<void> {
    const { rows, now } = this.#deps
    await this.#serially(async () => {
      const all = groupRows(await rows.list())
      const unknown = ids?.find((id) => !all.some((notice) => notice.id === id))
      if (unknown !== undefined) throw noSuchNotice(unknown)
      const at = new Date(now()).toISOString()
      for (const { id, kind, server } of all)
        if (ids?.includes(id) ?? true) await rows.markSeen(kind, server, at)
    })
    this.#changes.announce()
  }

  async changed(after: number, signal: AbortSignal): Promise<void> {
    if (this.#changes.count <= after) await this.#changes.next(signal, WAIT_MS)
  }

  /** Everything that was raised is stored. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#serially(async () => undefined)
  }

  #note(key: NoticeKey, reason: string): void {
    const { rows, log, now } = this.#deps
    const items = this.#itemsOf(key.kind, key.server)
    const before = items.get(key.item)
    if (!before && items.size >= MOST_ITEMS) return
    if (before && now() - before.writtenAt < WRITE_EVERY_MS) {
      before.uncounted += 1
      return
    }
    const times = 1 + (before?.uncounted ?? 0)
    items.set(key.item, { writtenAt: now(), uncounted: 0 })
    if (!before) log.warn('The owner has a notice', { ...key, reason })
    this.#write(() => rows.add(key, { reason, at: new Date(now()).toISOString(), times }))
  }

  #itemsOf(kind: string, server: string): Map<string, Known> {
    const id = idOf(kind, server)
    const found = this.#known.get(id) ?? new Map<string, Known>()
    this.#known.set(id, found)
    return found
  }

  #write(work: () => Promise<void>): void {
    void this.#serially(work).then(
      () => this.#changes.announce(),
      (error: unknown) => this.#deps.log.error('A notice was not stored', { error }),
    )
  }

  /** Redacted after invisible characters are gone and before the text is cut: either would hide a secret. */
  #clean(text: string, max: number): string {
    return seenLine(this.#deps.redactor.redact(seenText(text)), max)
  }
}

function idOf(kind: string, server: string): string {
  return `${server}:${kind}`
}

/** One notice for the rows of one server and kind: its count is the largest, and it is seen once all are. */
function groupRows(rows: readonly NoticeRow[]): readonly Notice[] {
  const groups = Map.groupBy(rows, ({ kind, server }) => idOf(kind, server))
  return [...groups].flatMap(([id, all]): Notice[] => {
    const [first] = all
    const latest = all.toSorted((a, b) => a.last.localeCompare(b.last)).at(-1)
    if (!first || !latest) return []
    const { kind, server, since } = first
    const { last, reason } = latest
    const items = all.map(({ item }) => item).filter((item) => item !== '')
    const text = describeNotice(kind, { id, server, items, reason })
    const count = Math.max(...all.map((row) => row.count))
    const isSeen = all.every((row) => row.isSeen)
    return text ? [{ id, kind, server, items, ...text, reason, since, last, count, isSeen }] : []
  })
}

function noSuchNotice(id: string): CordonError {
  return new CordonError(
    'notices.unknown',
    { exit: 2, hint: 'Run `cordon notices --all` to see their ids' },
    `Cannot find the notice ${JSON.stringify(id)}`,
  )
}
