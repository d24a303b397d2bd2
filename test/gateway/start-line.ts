/** Cordon's entry in the file of a client, and what the client would list through it. */
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parse } from 'smol-toml'
import { parseLenientJson } from '../../src/definitions/import/lenient-json.ts'

export interface Entry {
  readonly command: string
  readonly args: string[]
  readonly env?: Record<string, string>
}

/** As the client reads it: strict JSON, except where the client takes comments, or the file had them before. */
export function entryOf(
  client: string,
  text: string,
  isLenient: boolean = client === 'vscode',
): Entry {
  const plain = text.replace(/^\ufeff/, '')
  const read = client === 'codex' ? parse : isLenient ? parseLenientJson : JSON.parse
  const tables = read(plain) as Record<string, Record<string, Entry>>
  const entry = (tables['mcpServers'] ?? tables['servers'] ?? tables['mcp_servers'])?.['cordon']
  assert.ok(entry, `${client}: ${text}`)
  return entry
}

export async function listThrough({ command, args, env = {} }: Entry): Promise<readonly string[]> {
  // No more than a desktop gives to a client.
  const transport = new StdioClientTransport({ command, args, env: { PATH: '/usr/bin', ...env } })
  const client = new Client({ name: 'client', version: '1' })
  await client.connect(transport)
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}
