import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showTool, splitTool } from './tool-id.ts'
import { parseServerId } from './server-id.ts'

test('splitTool() takes what showTool() shows apart, however many dots the tool has', () => {
  const tool = { server: parseServerId('notion'), name: 'pages.v2.search' }
  assert.deepEqual(splitTool(showTool(tool)), { server: tool.server, tool: tool.name })
})

test('splitTool() finds no tool where no server is named', () => {
  for (const text of ['', 'search', '.search', '.']) assert.equal(splitTool(text), undefined, text)
})
