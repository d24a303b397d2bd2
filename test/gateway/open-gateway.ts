/** A gateway over sandboxed servers, and real clients of the official SDK for it. For tests only. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, environmentFor, MAIN, root } from '../fixtures/cordon.ts'

export interface Gateway {
  readonly cordon: Cordon
  readonly url: string
  readonly token: string
}

const fixture = (name: string): string =>
  path.join(root, 'test', 'fixtures', 'servers', `${name}.mjs`)

/** Each server: its name, options, and a fixture with its arguments. */
export async function openGateway(
  cordon: Cordon,
  servers: Readonly<Record<string, readonly string[]>>,
): Promise<Gateway> {
  await cordon.ask(['up', '--detach'])
  for (const [name, [file = '', ...args]] of Object.entries(servers)) {
    const options = args.filter((one) => one.startsWith('--allow'))
    const own = args.filter((one) => !one.startsWith('--allow'))
    const command = [process.execPath, fixture(file), ...own]
    await cordon.ask(['mcp', 'add', name, ...options, '--', ...command])
    await cordon.ask(['mcp', 'start', name])
  }
  await cordon.ask(['client', 'add', 'claude'])
  const { url } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  const token = readFileSync(path.join(cordon.home, 'clients', 'claude.key'), 'utf8').trim()
  return { cordon, url: url ?? '', token }
}

export type Way = 'http' | 'lines'

export async function connect(
  { cordon, url, token }: Gateway,
  {
    way = 'http',
    isModern = false,
    ...options
  }: { readonly way?: Way; readonly isModern?: boolean } & ClientOptions,
  prepare: (client: Client) => void = () => undefined,
): Promise<Client> {
  const mode = isModern ? ({ pin: '2026-07-28' } as const) : 'legacy'
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, ...options },
  )
  prepare(client)
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  const transport =
    way === 'http'
      ? new StreamableHTTPClientTransport(new URL(url), { requestInit })
      : new StdioClientTransport({
          command: process.execPath,
          args: [MAIN, 'gateway', '--client', 'claude'],
          env: environmentFor(cordon.home),
        })
  await client.connect(transport)
  return client
}
