/**
 * The log file: JSON lines for operators, in `logs/cordon.log`, rotated by size. A line is redacted before it is
 * written, and is written when the call returns. A log call never throws: a line that cannot be written is dropped, and
 * the next successful line says how many were.
 */
import { join } from 'node:path'
import { pino, stdTimeFunctions } from 'pino'
import type { Log, Redactor } from '../kernel/ports.ts'
import { loggable } from './loggable.ts'
import { openRotatingFile } from './rotating-file.ts'

type LogLevel = 'info' | 'warn' | 'error'

export interface LogOptions {
  readonly folder: string
  readonly redactor: Pick<Redactor, 'redact'>
  readonly level?: LogLevel
  readonly maxBytes?: number
  /** The number of older files to keep: `cordon.log.1` is the newest of them. */
  readonly keep?: number
}

export function openLog(options: LogOptions): Log & AsyncDisposable {
  const { folder, redactor, level = 'info', maxBytes = 5 * 1024 * 1024, keep = 5 } = options
  const file = openRotatingFile(join(folder, 'cordon.log'), maxBytes, keep)
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => file.append(redactor.redact(line)) },
  )
  let dropped = 0

  function write(severity: LogLevel, message: string, fields: unknown): void {
    try {
      const droppedLines = dropped === 0 ? undefined : dropped
      // Fields are nested under one key, so that no field can overwrite the level, the time or the message.
      logger[severity]({ droppedLines, fields: loggable(fields) }, message)
      dropped = 0
    } catch {
      dropped += 1
    }
  }

  return {
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    async [Symbol.asyncDispose]() {
      try {
        file.close()
      } catch {
        // The disk refused the last sync; the log has no place left to report it.
      }
    },
  }
}
