/**
 * Makes the fields of a log line safe to print: errors become code, message and causes, bytes become their length,
 * and what is named like a secret is left out whatever it holds. Never throws, never follows a cycle.
 * The second line of defence: the redactor, which knows the values, reads every finished line.
 */
import { CordonError } from '../kernel/error.ts'
import { isSecretName } from '../text/secret-name.ts'

export function loggable(value: unknown, seen: Set<object> = new Set()): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return '[function]'
  if (typeof value !== 'object' || value === null) return value
  if (seen.has(value)) return '[seen above]'
  seen.add(value)
  try {
    return describe(value, seen)
  } catch {
    return '[unreadable]'
  }
}

function describe(value: object, seen: Set<object>): unknown {
  if (value instanceof Error) return describeError(value, seen)
  if (value instanceof Date) return value.toISOString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value) || value instanceof Set) {
    return Array.from(value, (item: unknown) => loggable(item, seen))
  }
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, member]) => [String(key), describeMember(String(key), member, seen)]),
  )
}

/** Counts and switches stay (`tokens: 24`); anything that could hold a secret goes. */
function describeMember(key: string, member: unknown, seen: Set<object>): unknown {
  const harmless = member === undefined || typeof member === 'number' || typeof member === 'boolean'
  return isSecretName(key, 'shown') && !harmless ? '[redacted]' : loggable(member, seen)
}

function describeError(error: Error, seen: Set<object>): unknown {
  return {
    name: error.name,
    code: 'code' in error ? String(error.code) : undefined,
    message: error.message,
    // An error of our own says enough; of any other, where it came from is the most useful part.
    stack: error instanceof CordonError ? undefined : framesOf(error),
    cause: loggable(error.cause, seen),
    // One failure hidden behind another: a disposer that threw, or every address of a host refusing.
    suppressed: error instanceof SuppressedError ? loggable(error.suppressed, seen) : undefined,
    errors: error instanceof AggregateError ? loggable(error.errors, seen) : undefined,
  }
}

function framesOf(error: Error): readonly string[] {
  const lines = (error.stack ?? '').split('\n').map((line) => line.trim())
  return lines.filter((line) => line.startsWith('at ')).slice(0, 12)
}
