/**
 * A server on the official Python MCP SDK, with its thirty dependencies and their native code, as people connect one: a
 * pasted `uvx` line, the settings of another client, an entry of the official registry. The real command line, sandbox
 * and proxy, this machine's python3, and an index on loopback.
 */
import assert from 'node:assert/strict'
import { globSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { AUTHORITY_FILE, openOutsideWorld } from '../fixtures/outside-world.ts'
import { createPythonIndex } from '../fixtures/python-index.ts'
import { addSdk, SDK } from '../fixtures/python-sdk.ts'
import { answerAsOfficial } from '../fixtures/registry-answers.ts'

const INDEX = 'billing.example.com'
const NAME = 'io.example/sdk'
const ENTRY = {
  server: {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json',
    name: NAME,
    description: 'Greets people.',
    version: '1.0.0',
    packages: [
      {
        registryType: 'pypi',
        identifier: 'sdk-mcp',
        version: '1.0',
        runtimeHint: 'uvx',
        transport: { type: 'stdio' },
      },
    ],
  },
  _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
}
const SERVER = `
from mcp.server import MCPServer

server = MCPServer("sdk")

@server.tool()
def greet(name: str) -> str:
    """Greets a person"""
    return "Hello " + name

def main():
    server.run()
`
const index = createPythonIndex()
index.add({
  name: 'sdk-mcp',
  files: { 'sdk_mcp.py': SERVER },
  programs: { 'sdk-mcp': 'sdk_mcp:main' },
  requires: [SDK],
  readme: `mcp-name: ${NAME}\n`,
})
const skip = addSdk(index) ? false : 'pip of this machine does not get the SDK'
const world = await openOutsideWorld({
  [INDEX]: index.handle,
  'registry.modelcontextprotocol.io': (request, response) => {
    const found = answerAsOfficial([ENTRY], new URL(request.url ?? '/', 'https://registry'))
    response.writeHead(typeof found === 'number' ? found : 200, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(found))
  },
})
const settings = {
  PIP_CONFIG_FILE: '/dev/null',
  PIP_INDEX_URL: `https://${INDEX}/simple`,
  PIP_CERT: AUTHORITY_FILE,
}
const cordon = await openCordonIn({ ...world, environment: { ...world.environment, ...settings } })
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function greets(server: string): Promise<void> {
  const call = ['mcp', 'call', `${server}.greet`, '{"name":"Ann"}', '--yes']
  const { code, stdout, stderr } = await cordon.run(call)
  assert.match(stdout, /Hello Ann/, stderr)
  assert.equal(code, 0)
  const { state } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', server])
  assert.deepEqual([state.badge, state.tools], ['connected', 1])
}

test('a server on the official SDK is connected by its uvx line', { skip }, async () => {
  index.format = 'json'
  const { code, stdout, stderr } = await cordon.run(['connect', 'uvx sdk-mcp'], { stdin: 'yes\n' })
  assert.equal(code, 0, stderr + stdout)
  await greets('sdk')
  const site = path.join(cordon.home, 'packages/sdk@1.0/site')
  assert.equal(globSync('pydantic_core/*.so', { cwd: site }).length, 1, 'native code came along')
})

test("a server on the official SDK moves in from another client's settings", { skip }, async () => {
  index.format = 'html'
  const file = path.join(path.dirname(cordon.home), 'claude_desktop_config.json')
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { moved: { command: 'uvx', args: ['sdk-mcp'] } } }),
  )
  const { code, stderr } = await cordon.run(['mcp', 'migrate', '--from', file])
  assert.equal(code, 0, stderr) // on a slow machine it leaves before the server has started
  await greets('moved')
})

test('a server on the official SDK is connected by its registry entry', { skip }, async () => {
  const words = ['connect', `registry:${NAME}`, 'as', 'listed']
  const { code, stdout, stderr } = await cordon.run(words, { stdin: 'yes\n' })
  assert.equal(code, 0, stderr + stdout)
  const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  const listed = servers.find(({ server }) => server.includes('listed'))
  assert.ok(listed)
  await greets(listed.server)
})
