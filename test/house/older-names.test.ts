/** The names that the five specifications have for parts of Cordon can be looked up, and lead to a file. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const NAMES =
  'Registrar, Process Manager, Registry, Wrapper Node, Executor, MCP Wrapper Node, MCP Configuration, MCP Executor, Natural Interface Mapping, Generated Node Metadata, KernelFlowManager, DomainProxy, BwrapSandbox, McpServerManager, ServiceRegistry, CredentialWebServer, McpManager'

test('R248: every role of the specifications is in the glossary, with the file that plays it', () => {
  const docs = new URL('../../docs/', import.meta.url)
  const [, table = ''] = readFileSync(new URL('words.md', docs), 'utf8').split(
    '## Names in the specifications',
  )
  const rows = table.split('\n').flatMap((line) => {
    const [, there, here = ''] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? []
    return there === undefined ? [] : [{ names: there.split(', '), here }]
  })
  const known = new Set(rows.flatMap(({ names }) => names))
  assert.deepEqual(
    NAMES.split(', ').filter((name) => !known.has(name)),
    [],
  )
  const links = [...table.matchAll(/\]\((?<link>\.\.[^)]+)\)/g)].map(
    ({ groups }) => groups?.['link'] ?? '',
  )
  assert.ok(links.length >= 12)
  assert.deepEqual(
    links.filter((link) => !existsSync(new URL(link, docs))),
    [],
  )
})
