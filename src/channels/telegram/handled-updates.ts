/**
 * The updates that were begun, on disk before anything is done about them: after a crash none is handled twice. Holds
 * ids and never a text. Telegram itself keeps an update that was not begun, for a day.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { SharedNotes } from '../../kernel/ports.ts'

export interface BegunUpdate {
  readonly chat: string
  readonly message: string
}

export interface HandledUpdates {
  has(update: number): boolean
  /** False if another process has begun it. */
  begin(update: number, place: BegunUpdate): Promise<boolean>
  end(update: number): Promise<void>
  /** Those that an earlier process began and did not end. Each is returned once. */
  takeInterrupted(): Promise<readonly BegunUpdate[]>
  clear(): Promise<void>
}

const KIND = 'telegram.update'
/** Longer than Telegram keeps an update. */
const KEEP_MS = 48 * 60 * 60_000
/** Old ones are looked for after so many new ones. */
const SWEEP_EVERY = 200

const shape = z.object({
  chat: z.string(),
  message: z.string(),
  at: z.number(),
  isOver: z.boolean(),
  by: z.string().exactOptional(),
})
type Kept = z.infer<typeof shape>

export interface HandledDeps {
  readonly notes: SharedNotes
  readonly now: () => number
}

export async function openHandledUpdates(deps: HandledDeps): Promise<HandledUpdates> {
  const updates = new Updates(deps)
  await updates.load()
  return updates
}

class Updates implements HandledUpdates {
  readonly #deps: HandledDeps
  readonly #kept = new Map<number, Kept>()
  /** In the notes, the process that began an update. */
  readonly #process = randomUUID()
  /** Those whose beginning could not be written, or not be seen to be. */
  readonly #tried = new Set<number>()
  #interrupted: readonly (readonly [number, Kept])[] = []
  #begun = 0

  constructor(deps: HandledDeps) {
    this.#deps = deps
  }

  async load(): Promise<void> {
    for (const { id, content } of await this.#deps.notes.list(KIND))
      this.#kept.set(Number(id), shape.parse(JSON.parse(content)))
    this.#interrupted = [...this.#kept].filter(([, { isOver }]) => !isOver)
  }

  has(update: number): boolean {
    return this.#kept.has(update)
  }

  /**
   * Several kernels may share the notes, and an update may reach each of them: the one whose note is new handles it. No
   * lock is taken, since a kernel that dies with one would hold up this chat until the lock expires.
   */
  async begin(update: number, { chat, message }: BegunUpdate): Promise<boolean> {
    const entry = { chat, message, at: this.#deps.now(), isOver: false, by: this.#process }
    const isOurs = await this.#add(update, entry)
    this.#kept.set(update, { ...entry, isOver: !isOurs })
    this.#begun += 1
    if (this.#begun % SWEEP_EVERY === 0) await this.#sweep()
    return isOurs
  }

  async end(update: number): Promise<void> {
    const entry = this.#kept.get(update)
    if (entry) await this.#put(update, { ...entry, isOver: true })
  }

  async takeInterrupted(): Promise<readonly BegunUpdate[]> {
    const taken = this.#interrupted
    this.#interrupted = []
    for (const [update, entry] of taken) await this.#put(update, { ...entry, isOver: true })
    return taken.map(([, { chat, message }]) => ({ chat, message }))
  }

  async clear(): Promise<void> {
    for (const { id } of await this.#deps.notes.list(KIND)) await this.#forget(Number(id))
  }

  /** A note whose writing failed may be there all the same: the connection was lost before the answer. */
  async #add(update: number, entry: Kept): Promise<boolean> {
    const { notes } = this.#deps
    const wasTried = this.#tried.has(update)
    this.#tried.add(update)
    const isNew = await notes.add(KIND, String(update), JSON.stringify(entry))
    const isOurs = isNew || (wasTried && (await this.#isOnRecord(update)))
    this.#tried.delete(update)
    return isOurs
  }

  async #isOnRecord(update: number): Promise<boolean> {
    const all = await this.#deps.notes.list(KIND)
    const found = all.find(({ id }) => id === String(update))
    return found !== undefined && shape.parse(JSON.parse(found.content)).by === this.#process
  }

  async #put(update: number, entry: Kept): Promise<void> {
    await this.#deps.notes.put(KIND, String(update), JSON.stringify(entry))
    this.#kept.set(update, entry)
  }

  async #forget(update: number): Promise<void> {
    await this.#deps.notes.remove(KIND, String(update))
    this.#kept.delete(update)
  }

  async #sweep(): Promise<void> {
    const now = this.#deps.now()
    const old = [...this.#kept].filter(([, { at, isOver }]) => isOver && now - at > KEEP_MS)
    for (const [update] of old) await this.#forget(update)
  }
}
