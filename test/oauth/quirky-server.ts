/**
 * A provider that behaves like GitHub: every answer, errors too, has status 200 and is form-encoded, and scopes are
 * separated by commas. It answers polls from a script, one line each, and repeats the last line for ever; a line such as
 * `428 {"error": …}` is a status and JSON, as other providers answer.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Egress } from '../../src/ports/egress-port.ts'
import type { OAuthMethod } from '../../src/ports/service-facts.ts'
import { createLoopbackFetch } from './loopback-fetch.ts'

export interface QuirkyServer extends AsyncDisposable {
  readonly createFetch: Egress['createFetch']
  /** Answers to the next polls, each `error=…` or a token. */
  readonly script: string[]
  /** Forms that were posted to the token endpoint. */
  readonly polls: URLSearchParams[]
  /** The answer of the device endpoint. */
  device: string
  /** Runs before each poll is answered. */
  hold: () => Promise<void>
}

export const DEVICE_METHOD: Extract<OAuthMethod, { kind: 'device' }> = {
  kind: 'device',
  provider: 'test',
  deviceUrl: 'https://hub.cordon.test/login/device/code',
  tokenUrl: 'https://hub.cordon.test/login/oauth/access_token',
  scopes: ['repo', 'gist'],
  key: 'TOKEN',
}

const DEVICE =
  'device_code=the-device-code&expires_in=900&interval=5&user_code=WDJB-MJHT&verification_uri=https%3A%2F%2Fhub.cordon.test%2Flogin%2Fdevice'

export async function openQuirkyServer(): Promise<QuirkyServer> {
  const answer = async (request: IncomingMessage): Promise<string> => {
    const body = new URLSearchParams(await text(request))
    if (request.url === '/login/device/code') return server.device
    server.polls.push(body)
    await server.hold()
    const [line = ''] = server.script
    if (server.script.length > 1) server.script.shift()
    return line
  }
  const listener = createServer((request, response) => {
    response.setHeader('content-type', 'application/x-www-form-urlencoded; charset=utf-8')
    void answer(request).then((line) => {
      if (line === 'out of order') response.statusCode = 503
      const [, status, json] = /^(\d{3}) (\{.*)$/.exec(line) ?? []
      if (json !== undefined) {
        response.setHeader('content-type', 'application/json')
        return response.writeHead(Number(status)).end(json)
      }
      return line === 'hang up' ? response.destroy() : response.end(line)
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const server: QuirkyServer = {
    createFetch: createLoopbackFetch(port),
    script: [],
    polls: [],
    device: DEVICE,
    hold: async () => undefined,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return server
}
