/**
 * Sends spans to the owner's collector as OTLP over HTTP, in JSON. Bounded: a collector that is slow or gone costs spans,
 * never memory and never a call. https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
import type { Log } from '../../kernel/ports.ts'
import type { JsonObject } from '../../text/json.ts'
import { createRateLimit } from '../../text/rate-limit.ts'
import type { Span } from './trace-requests.ts'

export interface ExportDeps {
  /** Reaches the collector, and nothing else. */
  readonly fetch: typeof globalThis.fetch
  readonly url: string
  readonly version: string
  readonly log: Log
}

const MOST_WAITING = 2048
const MOST_AT_ONCE = 512
const EVERY_MS = 2000
const LONGEST_MS = 10_000
/** At the end of the kernel. */
const LAST_MS = 2000

export class SpanExporter implements AsyncDisposable {
  readonly #deps: ExportDeps
  readonly #mayLog = createRateLimit({ atOnce: 1, perSecond: 1 / 300 })
  #waiting: Span[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(deps: ExportDeps) {
    this.#deps = deps
  }

  add(span: Span): void {
    if (this.#waiting.length >= MOST_WAITING) return this.#lose('too many were waiting')
    this.#waiting.push(span)
    this.#timer ??= setTimeout(() => this.#flush(LONGEST_MS), EVERY_MS).unref()
  }

  /** Sends the rest, for two seconds at most. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush(LAST_MS)
    await this.#sending
  }

  /** One request after the other, so that a slow collector has one at a time. */
  #flush(longestMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending = this.#sendAll(this.#sending, longestMs)
  }

  async #sendAll(before: Promise<void>, longestMs: number): Promise<void> {
    await before
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, MOST_AT_ONCE)
      if (!(await this.#send(some, longestMs))) break
    }
  }

  async #send(spans: readonly Span[], longestMs: number): Promise<boolean> {
    const { fetch, url, version } = this.#deps
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(asOtlp(spans, version)),
        signal: AbortSignal.timeout(longestMs),
      })
      await response.body?.cancel()
      if (!response.ok) this.#lose(`the collector answered with ${response.status}`)
      return response.ok
    } catch {
      this.#lose('the collector was not reached')
      return false
    }
  }

  #lose(why: string): void {
    if (this.#mayLog()) this.#deps.log.warn(`Spans were dropped: ${why}`)
  }
}

/** https://github.com/open-telemetry/opentelemetry-proto: ids are hexadecimal here, and 64-bit numbers are texts. */
export function asOtlp(spans: readonly Span[], version: string): JsonObject {
  const resource = {
    attributes: attributes({ 'service.name': 'cordon', 'service.version': version }),
  }
  const scope = { name: 'cordon.gateway', version }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanJson) }] }] }
}

function spanJson({ context, parentId, error, ...span }: Span): JsonObject {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: attributes({
      ...span.attributes,
      ...(error !== undefined && { 'error.type': error }),
    }),
    status: error === undefined ? {} : { code: 2 },
  }
}

function attributes(values: Readonly<Record<string, string>>): JsonObject[] {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }))
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n)
}
