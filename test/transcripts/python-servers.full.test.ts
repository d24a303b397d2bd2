/**
 * Python servers, as a person connects them: a pasted `uvx` line, the settings of another client, an entry of the
 * official registry. The real command line, sandbox and proxy, this machine's python3, and an index on loopback.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { addTinyServer } from '../catalog/python-house.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { AUTHORITY_FILE, openOutsideWorld } from '../fixtures/outside-world.ts'
import { createPythonIndex } from '../fixtures/python-index.ts'
import { answerAsOfficial } from '../fixtures/registry-answers.ts'

const INDEX = 'billing.example.com'
const ENTRY = {
  server: {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json',
    name: 'io.example/tiny',
    description: 'Greets people.',
    version: '1.0.0',
    packages: [
      {
        registryType: 'pypi',
        identifier: 'tiny-mcp',
        version: '1.0',
        runtimeHint: 'uvx',
        transport: { type: 'stdio' },
      },
    ],
  },
  _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
}
const index = createPythonIndex()
addTinyServer(index)
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
  const { code, stdout, stderr } = await cordon.run([
    'mcp',
    'call',
    `${server}.greet`,
    '{"name":"Ann"}',
    '--yes',
  ])
  assert.match(stdout, /Hello Ann/, stderr)
  assert.equal(code, 0)
}

test('a pasted uvx line is installed, listed, shown and answers', async () => {
  const connected = await cordon.run(['connect', 'uvx tiny-mcp'], { stdin: 'yes\n' })
  assert.equal(connected.code, 0, connected.stderr + connected.stdout)
  const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'tiny'])
  assert.equal(shown.command, 'python3')
  assert.deepEqual([shown.state.badge, shown.state.tools], ['connected', 1])
  assert.match(shown.args.join(' '), /^-ISB \/.*\/packages\/tiny@1\.0\/bin\/tiny-mcp\.py$/)
  await greets('tiny')
})

test('a newer version is found, and a withdrawn one', async () => {
  addTinyServer(index, '1.1')
  const { servers } = await cordon.ask<Output<'mcp.updates'>>(['mcp', 'updates'])
  const own = servers.find(({ server }) => server === 'tiny')
  assert.partialDeepStrictEqual(own, { package: 'tiny-mcp', version: '1.0', newer: '1.1' })
})

test("another client's settings move in, and their line stays as it was", async () => {
  const file = path.join(path.dirname(cordon.home), 'claude_desktop_config.json')
  const moved = { command: 'uvx', args: ['--from', 'tiny-mcp==1.0', 'tiny-mcp'] }
  writeFileSync(file, JSON.stringify({ mcpServers: { moved } }))
  const dry = await cordon.run(['mcp', 'migrate', '--from', file, '--dry-run'])
  assert.match(dry.stdout, /would install: tiny-mcp 1\.0, in its sandbox/)
  const migrated = await cordon.run(['mcp', 'migrate', '--from', file])
  assert.match(migrated.stderr, /^moved: 1 tool$/m)
  assert.match(readFileSync(path.join(cordon.home, 'mcp', 'moved.toml'), 'utf8'), /command = "uvx"/)
  await greets('moved')
})

test('an entry of the official registry is connected by its name', async () => {
  const connected = await cordon.run(['connect', 'registry:io.example/tiny', 'as', 'listed'], {
    stdin: 'yes\n',
  })
  assert.equal(connected.code, 0, connected.stderr + connected.stdout)
  const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
  const listed = servers.find(({ server }) => server.includes('listed'))
  assert.equal(listed?.state.badge, 'connected')
  await greets(listed.server)
})

test('a server that is removed leaves a package that can be pruned', async () => {
  assert.equal((await cordon.run(['disconnect', 'tiny', '--yes'])).code, 0)
  const pruned = await cordon.run(['package', 'prune', '--yes'])
  assert.match(pruned.stdout, /Removed 1 package/)
  assert.ok(!existsSync(path.join(cordon.home, 'packages', 'tiny@1.0')))
})
