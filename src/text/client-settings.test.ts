import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientSettings, isOpenJson, wholeSettings } from './client-settings.ts'

const ENTRY = '{"command": "npx", "args": ["-y", "x"]}'

test('settings of clients and single entries are recognised', () => {
  for (const text of [
    `{"mcpServers": {"a": ${ENTRY}}}`,
    `{ "servers": {"a": {"url": "https://a.example"}} }`,
    `{"mcp": {"servers": {"a": ${ENTRY}}}}`,
    `{"a": ${ENTRY}}`,
    `"a": ${ENTRY},`,
    `"mcpServers": {\n  "a": ${ENTRY}\n}`,
  ]) {
    assert.ok(isClientSettings(text), text)
    assert.doesNotThrow(() => void JSON.parse(wholeSettings(text)), text)
  }
})

test('a server.json, a sentence and a flow are none', () => {
  for (const text of [
    '{"name": "io.github.a/b", "packages": [{"identifier": "b"}]}',
    'connect notion',
    '"quoted" words',
    '{"nodes": [], "edges": []}',
  ]) {
    assert.ok(!isClientSettings(text), text)
  }
})

test('a text is open until its last bracket is closed; brackets in strings do not count', () => {
  for (const text of ['{', '{"mcpServers": {', '"a": {', '{"a": "}"', '{"a": "\\"}"']) {
    assert.ok(isOpenJson(text), text)
  }
  for (const text of ['{}', `{"a": ${ENTRY}}`, `"a": ${ENTRY}`, '{"a": "{"}', 'say "a": {', '}']) {
    assert.ok(!isOpenJson(text), text)
  }
})
