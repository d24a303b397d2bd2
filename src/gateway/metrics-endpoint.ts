/**
 * `GET /metrics`, if the owner turned it on. It takes no token, so every user of this machine can read the names of
 * servers and how much each is used; a web page cannot.
 */
import type { Log } from '../kernel/ports.ts'
import { isOwnHost } from './admit-request.ts'
import type { Endpoint } from './create-endpoint.ts'
import { headerOf, type HttpRequest, type HttpResponse } from './http-request.ts'
import type { Gauges, Metrics } from './metrics.ts'

export const METRICS = '/metrics'

export interface MetricsDeps {
  readonly metrics: Metrics
  readonly gauges: () => Promise<Gauges>
  readonly port: number
  readonly log: Log
}

const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const

export function createMetricsEndpoint(deps: MetricsDeps): Endpoint {
  return (request, response) => {
    void answer(deps, request, response).catch((error: unknown) => {
      deps.log.error('The metrics failed because of a bug', { error })
      say(response, 500, 'Something broke in Cordon; its log has more\n')
    })
  }
}

async function answer(
  { metrics, gauges, port }: MetricsDeps,
  { headers, method }: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  if (!isOwnHost(headerOf(headers, 'host'), port) || headers['origin'] !== undefined) {
    return say(response, 403, 'Requests of web pages are not taken\n')
  }
  if (method !== 'GET') return say(response, 405, 'Use GET\n')
  say(response, 200, metrics.text(await gauges()))
}

function say(response: HttpResponse, status: number, text: string): void {
  const type = 'text/plain; version=0.0.4; charset=utf-8'
  response.writeHead(status, { ...HEADERS, 'Content-Type': type }).end(text)
}
