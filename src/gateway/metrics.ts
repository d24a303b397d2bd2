/**
 * Counts for operators in the text format of Prometheus. Labels are names of servers and words of a fixed list: no
 * argument, no result, no client and no tool is named, so the page can be read without a token.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import type { CallResult } from '../kernel/tool-call.ts'
import { type CallForClient, isWaiting } from './call-for-client.ts'

const OUTCOMES = ['ok', 'failed', 'refused', 'waiting', 'cancelled'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Upper bounds in seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 300] as const
/** Each server has about twenty lines; further servers are counted as one. */
const MOST_SERVERS = 200
const OTHER = 'other'

interface Counted {
  readonly outcomes: Record<Outcome, number>
  /** Calls up to each bound; longer ones are only in the sum of the outcomes. */
  readonly buckets: number[]
  seconds: number
}

/** Values that are read when they are asked for. */
export interface Gauges {
  readonly connections: number
  readonly sessions: number
  readonly requests: number
  readonly servers: number
  readonly running: number
  readonly approvals: number
}

export class Metrics {
  readonly #servers = new Map<string, Counted>()

  /** The same calls, counted. */
  measure(call: CallForClient): CallForClient {
    return async (session, about, signal) => {
      const begun = performance.now()
      let outcome: Outcome = 'cancelled'
      try {
        const result = await call(session, about, signal)
        if (!signal.aborted) outcome = outcomeOf(result)
        return result
      } finally {
        this.#count(about.tool.server, outcome, (performance.now() - begun) / 1000)
      }
    }
  }

  text(gauges: Gauges): string {
    const servers = [...this.#servers]
    const calls = servers.flatMap(([server, { outcomes }]) =>
      OUTCOMES.map((outcome) => [`server="${server}",outcome="${outcome}"`, outcomes[outcome]]),
    )
    return [
      ...family('cordon_gateway_calls_total', 'counter', 'Calls of clients', calls),
      ...durations(servers),
      ...gauge(
        'cordon_gateway_connections',
        'Open connections and event streams',
        gauges.connections,
      ),
      ...gauge('cordon_gateway_sessions', 'HTTP clients seen in five minutes', gauges.sessions),
      ...gauge('cordon_gateway_requests', 'Requests under way', gauges.requests),
      ...gauge('cordon_servers', 'Servers that are defined', gauges.servers),
      ...gauge('cordon_servers_running', 'Servers that run', gauges.running),
      ...gauge('cordon_approvals_waiting', 'Questions that wait for the owner', gauges.approvals),
      '',
    ].join('\n')
  }

  #count(server: string, outcome: Outcome, seconds: number): void {
    const isKnown = this.#servers.has(server) || this.#servers.size < MOST_SERVERS
    const name = isKnown ? server : OTHER
    const counted = this.#servers.get(name) ?? newCount()
    this.#servers.set(name, counted)
    counted.outcomes[outcome] += 1
    counted.seconds += seconds
    for (const [at, bound] of BUCKETS.entries()) {
      if (seconds <= bound) counted.buckets[at] = (counted.buckets[at] ?? 0) + 1
    }
  }
}

function newCount(): Counted {
  const outcomes = { ok: 0, failed: 0, refused: 0, waiting: 0, cancelled: 0 }
  return { outcomes, buckets: BUCKETS.map(() => 0), seconds: 0 }
}

function outcomeOf(result: CallResult): Outcome {
  return isWaiting(result) ? 'waiting' : result.kind
}

type Sample = readonly (string | number)[]

function family(
  name: string,
  type: string,
  help: string,
  samples: readonly Sample[],
): readonly string[] {
  const lines = samples.map(([labels, value]) => `${name}{${labels}} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

function gauge(name: string, help: string, value: number): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`]
}

function durations(servers: readonly (readonly [string, Counted])[]): readonly string[] {
  const name = 'cordon_gateway_call_duration_seconds'
  return [
    `# HELP ${name} Time of a call, waiting for the owner included`,
    `# TYPE ${name} histogram`,
    ...servers.flatMap(([server, { outcomes, buckets, seconds }]) => {
      const count = Object.values(outcomes).reduce((sum, one) => sum + one, 0)
      const bounds = [...BUCKETS.map(String), '+Inf']
      return [
        ...bounds.map(
          (le, at) => `${name}_bucket{server="${server}",le="${le}"} ${buckets[at] ?? count}`,
        ),
        `${name}_sum{server="${server}"} ${seconds}`,
        `${name}_count{server="${server}"} ${count}`,
      ]
    }),
  ]
}
