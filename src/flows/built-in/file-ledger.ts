/**
 * Remembers the labels of files that flows wrote, by their bytes and by their path, so that writing and reading is no
 * declassification. The bytes find a file that was moved or copied. The path finds one that was changed since: an edit
 * keeps most of the content, so it keeps the label too. Forgets the oldest files first; a forgotten file is labelled by
 * its place, like any other. Never holds content or a path, only hashes.
 */
import { createHash } from 'node:crypto'
import type { KeptKind, KeptLabels } from '../../kernel/kept-labels.ts'
import { joinLabels, type Label } from '../../labels/label.ts'
import { restoreTree, storeTree } from '../../labels/stored-label.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import { FILE_LABELS } from './file-labels.ts'

export const MOST_FILES = 100_000
/** Writes between two prunings. */
const PRUNE_EVERY = 500

export interface FileLedger {
  /** `place` is the label of an unknown file there. */
  labelOf(path: string, bytes: Uint8Array, place: Label): Promise<Label>
  /** Runs `write` with the label on disk before and after it: a crash leaves old or new bytes, both labelled. */
  keep(written: WrittenFile, write: () => Promise<void>): Promise<void>
}

export interface WrittenFile {
  /** The real path. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly label: Label
}

interface Entry {
  readonly label: Label
  /** Of a path: the hash of the bytes that were written there last. */
  readonly hash?: string
}

export function createFileLedger(rows: KeptLabels, most: number = MOST_FILES): FileLedger {
  const serially = createSerialQueue()
  let untilPruned = 0
  const look = async (kind: KeptKind, id: string): Promise<Entry | undefined> => {
    const content = await rows.get(kind, id)
    return content === undefined ? undefined : readEntry(content)
  }
  const prune = async (): Promise<void> => {
    untilPruned = (untilPruned || PRUNE_EVERY) - 1
    if (untilPruned > 0) return
    await rows.prune('file', most)
    await rows.prune('path', most)
  }
  return {
    async labelOf(path, bytes, place) {
      const hash = hashOf(bytes)
      const here = await look('path', hashOf(path))
      if (here?.hash === hash) return joinLabels(known(place), here.label)
      const same = await look('file', hash)
      const label = same ? joinLabels(known(place), same.label) : place
      return here ? joinLabels(label, here.label) : label
    },
    keep: ({ path, bytes, label }, write) =>
      serially(async () => {
        const [id, hash] = [hashOf(path), hashOf(bytes)]
        const [here, same] = [await look('path', id), await look('file', hash)]
        await rows.put([
          row('file', hash, { label: same ? joinLabels(same.label, label) : label }),
          row('path', id, { label: here ? joinLabels(here.label, label) : label }),
        ])
        await write()
        // The file is replaced as a whole, so the label of what was there before ends with it.
        await rows.put([row('path', id, { label, hash })])
        await prune()
      }),
  }
}

/** Content that a flow wrote is as confidential as the ledger says; who may have written it is still told by the place. */
function known(place: Label): Label {
  return { ...place, level: 'internal' }
}

function row(kind: KeptKind, id: string, { label, hash }: Entry) {
  const content = JSON.stringify({
    tree: storeTree({ label }),
    ...(hash !== undefined && { hash }),
  })
  return { kind, id, content }
}

/** An entry that cannot be read was of a file that a flow wrote: the strictest label of an unknown file. */
function readEntry(content: string): Entry {
  try {
    const { tree, hash } = JSON.parse(content) as {
      readonly tree: unknown
      readonly hash?: unknown
    }
    const { label } = restoreTree(tree)
    return { label, ...(typeof hash === 'string' && { hash }) }
  } catch {
    return { label: FILE_LABELS }
  }
}

function hashOf(what: string | Uint8Array): string {
  return createHash('sha256').update(what).digest('hex')
}

/** Rows in memory: the labels last as long as the process. */
export function memoryLabels(): KeptLabels {
  const kept = new Map<string, { readonly kind: KeptKind; readonly id: string; content: string }>()
  const key = (kind: KeptKind, id: string): string => `${kind} ${id}`
  const list = (kind: KeptKind) => [...kept.values()].filter((one) => one.kind === kind)
  return {
    get: async (kind, id) => kept.get(key(kind, id))?.content,
    list: async (kind) => list(kind),
    async put(rows) {
      for (const one of rows) {
        kept.delete(key(one.kind, one.id)) // so that the newest is last
        kept.set(key(one.kind, one.id), one)
      }
    },
    remove: async (kind, id) => kept.delete(key(kind, id)),
    async prune(kind, most) {
      const all = list(kind)
      for (const { id } of all.slice(0, Math.max(0, all.length - most))) kept.delete(key(kind, id))
    },
  }
}
