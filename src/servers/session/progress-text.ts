/**
 * A server's `notifications/progress` as one short line for people: how much is done, and its words about it, cleaned and
 * cut; and its numbers for programs. Untrusted; never logged, never given to a model.
 */
import { seenLine } from '../../text/untrusted-text.ts'
import type { ProgressNumbers } from '../../text/call-progress.ts'
import { cleanText, type Redact } from './clean-text.ts'
import { isJsonObject } from './json-bounds.ts'

const LONGEST = 100

/** Undefined if the notification says nothing. */
export function progressText(params: unknown, redact: Redact): string | undefined {
  if (!isJsonObject(params)) return undefined
  const { progress, total, message } = params
  const words = typeof message === 'string' ? message.slice(0, 10 * LONGEST) : ''
  const said = seenLine(cleanText(words, redact, 5 * LONGEST), LONGEST)
  const parts = [shareOf(progress, total), said].filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join(': ')
}

/** Undefined if the server counts nothing, or below zero. */
export function progressNumbers(params: unknown): ProgressNumbers | undefined {
  if (!isJsonObject(params)) return undefined
  const { progress, total } = params
  if (!isCount(progress)) return undefined
  return { progress, ...(isCount(total) && total > 0 && { total }) }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

function shareOf(progress: unknown, total: unknown): string {
  if (typeof progress !== 'number' || progress < 0 || !Number.isFinite(progress)) return ''
  if (typeof total !== 'number' || !(total > 0)) return ''
  return `${Math.floor(100 * Math.min(progress / total, 1))} %`
}
