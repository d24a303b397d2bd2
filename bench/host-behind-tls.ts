/** A host behind TLS that answers every request with a word, as a process of its own: this file, started as a program. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const fixture = (file: string): string =>
  fileURLToPath(new URL(`../test/attacks/proxy/fixtures/${file}`, import.meta.url))

/** The certificate of the server is for HOST, signed by the authority in AUTHORITY. */
export const HOST = 'allowed.example'
export const AUTHORITY: string = fixture('ca.pem')

/** The port on loopback, until the stack is disposed. */
export async function openHost(stack: AsyncDisposableStack): Promise<number> {
  const child = stack.adopt(fork(fileURLToPath(import.meta.url)), (host) => void host.kill())
  const [port] = (await once(child, 'message')) as [number]
  return port
}

async function serveHost(): Promise<void> {
  const key = readFileSync(fixture('server-key.pem'))
  const cert = readFileSync(fixture('server.pem'))
  const server = createServer({ key, cert }, (_request, response) => response.end('fine'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
}

if (process.send !== undefined && import.meta.main) await serveHost()
