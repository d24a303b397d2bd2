/** Cordon from its source, with sandbox, policy and audit on: two registered clients with a token each. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Output } from '../../../src/api/contract.ts'
import { environmentFor, MAIN, openCordon } from '../../fixtures/cordon.ts'
import { until } from '../../fixtures/until.ts'
import { httpWire } from '../client/wire-http.ts'
import { lineWire } from '../client/wire-lines.ts'
import type { Adapter, Backend, ClientName, Gateway } from './adapter.ts'

export const CORDON_ADAPTERS: readonly Adapter[] = [
  { name: 'cordon', open: openHttp },
  { name: 'cordon-stdio', open: openLines },
]

interface Started extends AsyncDisposable {
  readonly url: string
  readonly home: string
  tokenOf(client: ClientName): string
}

async function start(backends: readonly Backend[]): Promise<Started> {
  await using stack = new AsyncDisposableStack()
  const cordon = stack.use(openCordon())
  await cordon.ask(['up', '--detach'])
  for (const { name, command } of backends) await cordon.ask(['mcp', 'add', name, '--', ...command])
  for (const client of ['one', 'two']) await cordon.ask(['client', 'add', client])
  await until(async () => {
    const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
    return servers.every(({ state }) => state.badge === 'connected')
  })
  const { url = '' } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  const owned = stack.move()
  return {
    url,
    home: cordon.home,
    tokenOf: (client) =>
      readFileSync(path.join(cordon.home, 'clients', `${client}.key`), 'utf8').trim(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function openHttp(backends: readonly Backend[]): Promise<Gateway> {
  const started = await start(backends)
  const targetOf = (client: ClientName) => ({
    url: started.url,
    headers: { Authorization: `Bearer ${started.tokenOf(client)}` },
  })
  return {
    wire: (client) => httpWire(targetOf(client)),
    clients: 'principals',
    http: targetOf,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}

async function openLines(backends: readonly Backend[]): Promise<Gateway> {
  const started = await start(backends)
  return {
    wire: (client) =>
      lineWire({
        command: [process.execPath, MAIN, 'gateway', '--client', client],
        environment: environmentFor(started.home),
      }),
    clients: 'principals',
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}
