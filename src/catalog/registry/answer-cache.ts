/**
 * A cache of registry answers, one file per question, so that a search also works offline. Holds only public text: a
 * key is never part of a question. A damaged file counts as no answer.
 */
import { hash } from 'node:crypto'
import path from 'node:path'
import type { Files, Log } from '../../kernel/ports.ts'
import { recordOf } from './loose.ts'

interface CachedAnswer {
  /** Time of the answer, in milliseconds. */
  readonly at: number
  readonly value: unknown
}

export interface AnswerCache {
  read(question: string): Promise<CachedAnswer | undefined>
  /** `json` is the answer as received. */
  write(question: string, at: number, json: string): Promise<void>
  clear(): Promise<void>
}

const MAX_FILES = 200
const MAX_BODY = 512 * 1024

export function createAnswerCache(folder: string, files: Files, log: Log): AnswerCache {
  const placeOf = (question: string): string =>
    path.join(folder, `${hash('sha256', question, 'hex').slice(0, 40)}.json`)
  const remove = async (names: readonly string[]): Promise<void> => {
    await Promise.all(names.map((name) => files.remove(path.join(folder, name))))
  }
  return {
    async read(question) {
      return parseAnswer(await files.read(placeOf(question)))
    },
    /** A full disk must not keep the answer from being shown. */
    async write(question, at, json) {
      if (json.length > MAX_BODY) return
      try {
        const names = await files.list(folder)
        // File names are hashes, so the dropped files are arbitrary ones, which is good enough.
        await remove(names.slice(0, Math.max(0, names.length - MAX_FILES + 1)))
        await files.write(placeOf(question), `{"at":${at},"value":${json}}`)
      } catch (error) {
        log.warn('Cannot keep the answer of a registry', { error })
      }
    },
    clear: async () => remove(await files.list(folder)),
  }
}

function parseAnswer(content: Buffer | undefined): CachedAnswer | undefined {
  try {
    const { at, value } = recordOf(JSON.parse(content?.toString('utf8') ?? 'null'))
    return typeof at === 'number' ? { at, value } : undefined
  } catch {
    return undefined
  }
}
