/** Waits until a server has listed its tools. The protocol by hand, so that nothing but the server is measured. */
import type { Readable, Writable } from 'node:stream'

interface Streams {
  readonly stdin: Writable
  readonly stdout: Readable
}

export async function listTools({ stdin, stdout }: Streams): Promise<void> {
  const say = (message: object) =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  say({ id: 1, method: 'initialize', params })
  let heard = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    heard += String(chunk)
    const answers = heard.split('\n').slice(0, -1)
    heard = heard.slice(heard.lastIndexOf('\n') + 1)
    for (const line of answers) {
      const answer = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } }
      if (answer.result?.tools?.length) return
      if (answer.id !== 1) continue
      say({ method: 'notifications/initialized' })
      say({ id: 2, method: 'tools/list' })
    }
  }
  throw new Error('the server ended before it listed its tools')
}
