/**
 * A server's `notifications/progress` as one short line for people: how much is done, and its words about it, cleaned and
 * cut. Untrusted; never logged, never given to a model.
 */
import { seenLine } from '../../text/untrusted-text.ts'
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

function shareOf(progress: unknown, total: unknown): string {
  if (typeof progress !== 'number' || progress < 0 || !Number.isFinite(progress)) return ''
  if (typeof total !== 'number' || !(total > 0)) return ''
  return `${Math.floor(100 * Math.min(progress / total, 1))} %`
}
