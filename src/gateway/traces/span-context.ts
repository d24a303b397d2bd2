/** W3C Trace Context as MCP carries it, in `_meta.traceparent`. https://www.w3.org/TR/trace-context/#traceparent-header */
import { randomBytes } from 'node:crypto'

export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

const FIRST = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
/** A later version may have more parts. */
const LATER = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/
const NONE = /^0+$/

/** Undefined for anything that is no valid value: a new trace begins then, as the specification says. */
export function parseTraceparent(value: unknown): SpanContext | undefined {
  if (typeof value !== 'string' || value.length > 256) return undefined
  const parts = FIRST.exec(value) ?? LATER.exec(value)
  if (!parts) return undefined
  const [, traceId = '', spanId = '', flags = ''] = parts
  if (NONE.test(traceId) || NONE.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function showTraceparent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`
}

/** A span below `parent`, or the first of a new trace. */
export function newContext(parent: SpanContext | undefined): SpanContext {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    isSampled: parent?.isSampled ?? true,
  }
}
