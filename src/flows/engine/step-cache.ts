/**
 * Caches answers of steps that only read, for later runs with exactly the same step, arguments, labels and principal:
 * one file each, named after the cache key. A file that cannot be read counts as a miss.
 */
import { join } from 'node:path'
import type { Json } from '../../text/json.ts'
import type { Labelled } from '../../labels/labelled.ts'
import type { Files, Log } from '../../kernel/ports.ts'
import { restoreLabelled } from '../../labels/stored-label.ts'
import { kept } from '../operators/peek.ts'

export interface StepCache {
  get(key: string): Promise<Labelled | undefined>
  put(key: string, value: Labelled): Promise<void>
}

export interface CacheDeps {
  readonly files: Files
  readonly folder: string
  readonly log: Log
  readonly now: () => number
}

const MOST_FILES = 500
const LARGEST_BYTES = 1024 * 1024
/** Even the answer of a pure tool expires after a day. */
const KEEP_MS = 24 * 3600 * 1000
const KEY = /^[0-9a-f]{64}$/

export function createStepCache({ files, folder, log, now }: CacheDeps): StepCache {
  const pathOf = (key: string): string => join(folder, `${key}.json`)

  /** Evicts the first names in the folder: names are hashes, so that is an arbitrary choice. */
  async function makeRoom(): Promise<void> {
    const names = await files.list(folder)
    const extra = names.slice(0, Math.max(0, names.length + 1 - MOST_FILES))
    for (const name of extra) await files.remove(join(folder, name))
  }
  return {
    async get(key) {
      if (!KEY.test(key)) return undefined
      try {
        const bytes = await files.read(pathOf(key))
        return bytes && read(bytes.toString('utf8'), now())
      } catch (error) {
        log.warn('Cannot use a kept answer of a flow', { error })
        return undefined
      }
    },
    async put(key, value) {
      const text = JSON.stringify({ at: now(), value: kept(value) })
      if (!KEY.test(key) || text.length > LARGEST_BYTES) return
      try {
        await makeRoom()
        await files.write(pathOf(key), text)
      } catch (error) {
        log.warn('Cannot keep an answer of a flow', { error })
      }
    },
  }
}

function read(text: string, now: number): Labelled | undefined {
  const { at, value } = JSON.parse(text) as { readonly at: number; readonly value: Json }
  const isFresh = typeof at === 'number' && at <= now && now - at < KEEP_MS
  return isFresh ? restoreLabelled(value) : undefined
}
