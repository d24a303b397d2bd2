/** Says how a process ended: by exit code, signal, or lack of memory. Pure. */
import { constants } from 'node:os'
import type { ProcessEnd } from '../../kernel/sandbox-port.ts'

export interface Traces {
  readonly code: number | null
  readonly signal: string | null
  /** The OOM killer or the watchdog ended a process of the sandbox. */
  readonly memoryExceeded: boolean
  readonly lastWords: string
}

/** Shells and bubblewrap report a signal as exit code 128 plus its number. */
const SIGNAL_BASE = 128
/** V8 ends its process when the heap is full: by abort, trap or illegal instruction, after one sentence. */
const V8_ENDS = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL'])
const V8_SENTENCE = /heap out of memory|process out of memory|Reached heap limit/
/** Errors that a program ends with when an allocation fails: `RangeError` in Node, `MemoryError` in Python. */
const ALLOCATION_FAILED =
  /^(?:RangeError: (?:Failed to allocate memory|Array buffer allocation failed)|MemoryError\b)/m

export function processEnd(traces: Traces): ProcessEnd {
  const signal = traces.signal ?? signalOf(traces.code ?? 0)
  // Exit code 0 is the server's own decision, even when a child of it grew too large.
  if (traces.code !== 0 && (traces.memoryExceeded || saysSo(traces, signal))) {
    return { kind: 'memory' }
  }
  if (signal !== undefined) return { kind: 'signalled', signal }
  return { kind: 'exited', code: traces.code ?? 0 }
}

function saysSo({ lastWords }: Traces, signal: string | undefined): boolean {
  if (V8_ENDS.has(signal ?? '') && V8_SENTENCE.test(lastWords)) return true
  return signal === undefined && ALLOCATION_FAILED.test(lastWords)
}

function signalOf(code: number): string | undefined {
  const found = Object.entries(constants.signals).find(
    ([, number]) => number + SIGNAL_BASE === code,
  )
  return found?.[0]
}
