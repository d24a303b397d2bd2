/**
 * Servers of every kind that a client's file can start, moved in from one file: an npx package with a token, a uvx package,
 * an image, an address. Packages and images come from registries on loopback, and run in their sandboxes.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { addTinyServer } from '../catalog/python-house.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { everythingImage } from '../fixtures/everything-image.ts'
import { createImageRegistry } from '../fixtures/image-registry.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { AUTHORITY_FILE, openOutsideWorld } from '../fixtures/outside-world.ts'
import { createPythonIndex } from '../fixtures/python-index.ts'
import { entryOf, listThrough } from './start-line.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const REGISTRY = 'billing.example.com'

test('MOVE-1: npx, uvx, docker and an address in one file move in, are listed through its start line, and come back', async () => {
  const index = createPythonIndex()
  addTinyServer(index)
  const images = createImageRegistry()
  images.add('acme/everything', '1.0', everythingImage())
  await using world = await openOutsideWorld({
    [NOTION_HOST]: createNotion(TOKEN).answer,
    [REGISTRY]: (request, response) => {
      const isImage = request.url?.startsWith('/v2') === true
      return isImage ? images.handle(request, response) : index.handle(request, response)
    },
  })
  const settings = {
    PIP_CONFIG_FILE: '/dev/null',
    PIP_INDEX_URL: `https://${REGISTRY}/simple`,
    PIP_CERT: AUTHORITY_FILE,
  }
  const environment = { ...world.environment, ...settings }
  await using cordon = await openCordonIn({ ...world, environment }, 'notion')
  const notes = { command: 'npx', args: ['-y', '@notionhq/notion-mcp-server'] }
  const mcpServers = {
    notes: { ...notes, env: { NOTION_TOKEN: TOKEN } },
    tiny: { command: 'uvx', args: ['tiny-mcp'] },
    box: { command: 'docker', args: ['run', '-i', '--rm', `${REGISTRY}/acme/everything:1.0`] },
    linear: { url: 'https://mcp.linear.app/mcp', headers: { 'X-Team': 'mine' } },
    older: { command: 'npx', args: ['mcp-remote', 'https://mcp.atlassian.com/v1/sse'] },
  }
  const file = path.join(path.dirname(cordon.home), '.cursor', 'mcp.json')
  const text = JSON.stringify({ mcpServers }, null, 2)
  mkdirSync(path.dirname(file))
  writeFileSync(file, text, { mode: 0o600 })
  const { code, stdout, stderr } = await cordon.run(['import', 'cursor', '--yes'])
  assert.equal(code, 0, stdout + stderr)
  const now = readFileSync(file, 'utf8')
  assert.deepEqual(Object.keys((JSON.parse(now) as { mcpServers: object }).mcpServers), ['cordon'])
  assert.ok(!(now + stdout + stderr).includes(TOKEN))
  const tools = await listThrough(entryOf('cursor', now))
  for (const name of ['notes__API-get-self', 'tiny__greet', 'box__echo']) {
    assert.ok(tools.includes(name), `${name} in ${tools.join(' ')}: ${stderr}`)
  }
  assert.match(stderr, /left to do: Sign in: run `cordon connect older`/)
  await cordon.ask(['import', 'cursor', '--undo'])
  assert.equal(readFileSync(file, 'utf8'), text)
})
