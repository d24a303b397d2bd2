/** A server's log message (`notifications/message`): its level, its logger and its data, cleaned and bounded. Untrusted. */
import type { LogLevel } from '../../ports/feature-port.ts'
import { LOG_LEVELS } from '../../text/log-levels.ts'
import type { JsonObject } from '../../text/json.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { cleanText } from '../session/clean-text.ts'
import { cleanJson } from '../session/json-bounds.ts'

const MAX_SIZE = 64 * 1024
const MAX_LOGGER = 100

export interface LogMessage extends JsonObject {
  readonly level: LogLevel
}

/** Undefined for a message of no known level, or above the bounds. */
export function logMessageIn(
  { level, logger, data = null }: JsonObject,
  redact: (text: string) => string,
): LogMessage | undefined {
  const known = LOG_LEVELS.find((one) => one === level)
  if (known === undefined) return undefined
  try {
    const clean = (text: string): string => cleanText(text, redact, MAX_SIZE)
    const named = typeof logger === 'string' && { logger: seenLine(clean(logger), MAX_LOGGER) }
    return { level: known, ...named, data: cleanJson(data, clean, MAX_SIZE) }
  } catch {
    return undefined
  }
}

/** `warning db: slow query`. */
export function showLogMessage({ level, logger, data }: LogMessage): string {
  const words = typeof data === 'string' ? data : JSON.stringify(data)
  return `${level}${typeof logger === 'string' ? ` ${logger}` : ''}: ${words}`
}
