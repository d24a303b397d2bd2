/**
 * Sessions over HTTP in a store that several kernels share, so that each request of a client may come to another one.
 * Each kernel writes a row of its own, and a session is the join of its rows: two kernels that raise its label at the
 * same time lose nothing. Kept results are rows too. What is under way in a process stays there.
 */
import type { Notes } from '../kernel/ports.ts'
import { joinLabels, type Label } from '../labels/label.ts'
import type { Labelled } from '../labels/labelled.ts'
import { deliver, type Sink } from '../labels/sink.ts'
import { restoreLabelled, restoreTree, storeTree } from '../labels/stored-label.ts'
import type { JsonObject } from '../text/json.ts'

export interface SessionRow {
  readonly label: Label
  readonly says?: string
  /** As the client declared them with `initialize`. */
  readonly capabilities: JsonObject
  /** Handles of the results that this kernel kept. */
  readonly results: readonly string[]
}

interface Stored extends Omit<SessionRow, 'label'> {
  readonly label: unknown
  readonly usedAt: number
}

const SESSIONS = 'gateway.sessions'
const SILENT_MS = 3_600_000
/** A session in use says so this often. */
const USED_MS = 60_000

const sessionKind = (key: string): string => `gateway.session ${key}`
const resultKind = (key: string, id: string): string => `gateway.result ${key} ${id}`

export class SessionRows {
  readonly #notes: Notes
  /** A random name of this process, under which it writes rows. */
  readonly #kernel: string
  readonly #now: () => number
  readonly #written = new Map<string, { readonly text: string; readonly at: number }>()

  constructor(notes: Notes, kernel: string, now: () => number) {
    this.#notes = notes
    this.#kernel = kernel
    this.#now = now
  }

  /** Undefined for a session that there is not, or that was silent for an hour. */
  async read(key: string): Promise<SessionRow | undefined> {
    const rows = await this.#rows(key)
    const usedAt = Math.max(...rows.map((row) => row.usedAt))
    if (rows.length === 0 || this.#now() - usedAt > SILENT_MS) return undefined
    const [first, ...others] = rows.map(({ label }) => restoreTree({ label }).label)
    const says = rows.find((row) => row.says !== undefined)?.says
    return {
      label: others.reduce(joinLabels, first as Label),
      ...(says !== undefined && { says }),
      capabilities:
        rows.find((row) => Object.keys(row.capabilities).length > 0)?.capabilities ?? {},
      results: rows.flatMap((row) => row.results),
    }
  }

  /** Writes what changed since the last time; nothing, most of the time. */
  async write(key: string, row: SessionRow): Promise<void> {
    const { label } = storeTree({ label: row.label })
    const text = JSON.stringify({ ...row, label })
    const before = this.#written.get(key)
    const at = this.#now()
    if (before?.text === text && at - before.at < USED_MS) return
    const stored: Stored = { ...row, label, usedAt: at }
    await this.#notes.put(sessionKind(key), this.#kernel, JSON.stringify(stored))
    await this.#notes.put(SESSIONS, key, String(at))
    this.#written.set(key, { text, at })
  }

  async remove(key: string): Promise<void> {
    this.#written.delete(key)
    const rows = await this.#notes.list(sessionKind(key))
    for (const { id, content } of rows) {
      for (const result of parseRow(content).results) await this.removeResult(key, result)
      await this.#notes.remove(sessionKind(key), id)
    }
    await this.#notes.remove(SESSIONS, key)
  }

  /** Removes the sessions that were silent for an hour, of this kernel and of those that ended. */
  async sweep(): Promise<void> {
    for (const { id, content } of await this.#notes.list(SESSIONS)) {
      if (this.#now() - Number(content) > SILENT_MS) await this.remove(id)
    }
    for (const [key, { at }] of this.#written) {
      if (this.#now() - at > SILENT_MS) this.#written.delete(key)
    }
  }

  /** Only a value that the client itself may have is stored. */
  async putResult(key: string, id: string, value: Labelled, sink: Sink): Promise<void> {
    const delivery = deliver(value, sink)
    if (delivery.kind === 'withheld') return
    const characters = JSON.stringify(delivery.value).length
    const labels = storeTree(value.tree)
    const content = JSON.stringify({ value: delivery.value, labels, characters })
    await this.#notes.put(resultKind(key, id), 'value', content)
  }

  async readResult(
    key: string,
    id: string,
  ): Promise<{ readonly value: Labelled; readonly characters: number } | undefined> {
    const [row] = await this.#notes.list(resultKind(key, id))
    if (!row) return undefined
    const stored = JSON.parse(row.content) as { readonly characters: number }
    return { value: restoreLabelled(stored), characters: stored.characters }
  }

  async removeResult(key: string, id: string): Promise<void> {
    await this.#notes.remove(resultKind(key, id), 'value')
  }

  async #rows(key: string): Promise<readonly Stored[]> {
    const rows = await this.#notes.list(sessionKind(key))
    return rows.map(({ content }) => parseRow(content))
  }
}

function parseRow(content: string): Stored {
  return JSON.parse(content) as Stored
}
