/** `~/` in the text of a flow: expanded for a server that was given the folder, and as it was written for any other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFlow } from '../grammar/parse-flow.ts'
import type { NodeIndex } from '../nodes/node-index.ts'
import { expandHomes } from './expand-homes.ts'

const index = {
  find: (name: string) => {
    const [, server] = /^mcp-(\w+)/.exec(name) ?? []
    const pin = server && { tool: { server, name: 'read' } }
    return { kind: 'found', node: { descriptor: { id: name, ...(pin && { pin }) } } }
  },
} as unknown as NodeIndex

const findHome = async (server: string) => ({
  homeFolder: '/home/ana',
  folders: server === 'files' ? ['/home/ana/notes'] : [],
})

async function valuesIn(text: string): Promise<readonly (string | undefined)[]> {
  const parsed = parseFlow(text)
  assert.equal(parsed.kind, 'flow')
  const { statements } = await expandHomes(parsed.flow, index, findHome)
  return statements.flat().flatMap(({ flags }) => flags.map(({ value }) => value))
}

test('a path below a folder of the server is the whole path, any other value stays as it is written', async () => {
  const paths = '--path ~/notes/a.txt --other ~/mail --dots ~/notes/../mail --says "at ~/notes"'
  const written = ['~/notes/a.txt', '~/mail', '~/notes/../mail', 'at ~/notes']
  assert.deepEqual(await valuesIn(`mcp-files-read ${paths}`), [
    '/home/ana/notes/a.txt',
    ...written.slice(1),
  ])
  for (const other of ['mcp-shop-read', 'read-file']) {
    assert.deepEqual(await valuesIn(`${other} ${paths}`), written)
  }
})
