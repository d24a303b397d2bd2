/** HTTP+SSE of 2024-11-05: answers come on one stream, messages go to the address that it names first. */
import { type IncomingMessage, request as open } from 'node:http'
import type { HttpTarget } from './wire-http.ts'
import { type OpenWire, parseRpc, readEvents } from './wire.ts'

export function sseWire({ url, headers = {} }: HttpTarget): OpenWire {
  return async (taker) => {
    const ended = new AbortController()
    const { signal } = ended
    const exchange = async (address: string, body?: string): Promise<IncomingMessage> => {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
      const method = body === undefined ? 'GET' : 'POST'
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const all = { Accept: 'text/event-stream', ...type, ...headers }
      const sent = open(address, { method, agent: false, signal, headers: all })
      sent.on('error', reject)
      sent.on('response', resolve)
      sent.end(body)
      return await promise
    }
    const named = Promise.withResolvers<string>()
    const stream = await exchange(url)
    if (stream.statusCode !== 200) throw new Error(`HTTP ${stream.statusCode}`)
    const take = (name: string, data: string): void => {
      if (name === 'endpoint') return named.resolve(new URL(data, url).href)
      const rpc = parseRpc(data)
      if (rpc) taker.message(rpc)
    }
    const gone = (): void => named.reject(new Error('the stream ended'))
    readEvents(stream, take).then(gone, gone)
    const address = await named.promise
    return {
      async send(message) {
        const response = await exchange(address, JSON.stringify(message))
        const text = Buffer.concat((await response.toArray()) as Buffer[]).toString()
        const { statusCode = 0 } = response
        if (statusCode >= 400) taker.failed(message.id, `HTTP ${statusCode}: ${text.slice(0, 200)}`)
      },
      ready: async () => undefined,
      [Symbol.asyncDispose]: async () => ended.abort(),
    }
  }
}
