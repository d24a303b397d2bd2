/**
 * The label of a file that no flow wrote, by its place: any author and sensitive, unless the owner marked its folder in
 * `[files]` of `config.toml`.
 */
import { realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { FILES } from '../../kernel/built-in-tools.ts'
import type { Label } from '../../labels/label.ts'
import { flowError } from '../flow-errors.ts'
import { isInside } from './guarded-folder.ts'

/** An unknown file in a folder that is not marked; also what a check foresees, since it cannot know the file. */
export const FILE_LABELS: Label = {
  integrity: 'external',
  level: 'sensitive',
  origins: new Set([FILES]),
}

/** Folders that the owner marked. Each holds for everything below it. */
export interface MarkedFolders {
  /** Files that may be known to every server: `internal` instead of `sensitive`. */
  readonly internal: readonly string[]
  /** Files that only the owner writes: their own words. */
  readonly own: readonly string[]
}

export const NO_MARKS: MarkedFolders = { internal: [], own: [] }

const folders = z.array(z.string().min(1).max(4096)).max(1000).default([])
const Written = z.strictObject({ internal: folders, own: folders })

/** `~` is the owner's home. Throws on anything else than lists of absolute paths: a misspelled mark must not widen one. */
export function parseMarkedFolders(table: unknown, userHome: string): MarkedFolders {
  const { success, data } = Written.safeParse(table ?? {})
  const all = success ? [...data.internal, ...data.own] : []
  const odd = all.find((one) => !isAbsolute(one) && one !== '~' && !one.startsWith('~/'))
  if (!success || odd !== undefined) throw notUnderstood(odd)
  const whole = (one: string): string => (one.startsWith('~') ? join(userHome, one.slice(1)) : one)
  return { internal: data.internal.map(whole), own: data.own.map(whole) }
}

function notUnderstood(odd: string | undefined): Error {
  const what = odd === undefined ? '' : `: ${JSON.stringify(odd)} is not a whole path`
  return flowError(
    'flows.file-marks',
    `Cannot read [files] in config.toml${what}`,
    'Write lists of folders, such as internal = ["~/public"] and own = ["~/notes"]',
  )
}

/** `path` is the real path of the file. */
export async function placeLabel(path: string, marks: MarkedFolders): Promise<Label> {
  const [isInternal, isOwn] = [await isBelow(path, marks.internal), await isBelow(path, marks.own)]
  return {
    ...FILE_LABELS,
    ...(isInternal && { level: 'internal' }),
    ...(isOwn && { integrity: 'user' }),
  }
}

/** Links are resolved first. A missing folder marks nothing. */
async function isBelow(path: string, marked: readonly string[]): Promise<boolean> {
  const real = await Promise.all(marked.map((one) => realpath(one).catch(() => undefined)))
  return real.some((one) => one !== undefined && isInside(one, path))
}
