import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FakeTool, fakeNodes, TOOLS } from './fake-nodes.ts'
import type { NodeIndex } from './node-index.ts'

const read = (server: string, name: string): FakeTool => ({ server, name, effect: 'remote-read' })
const nodeIndex = fakeNodes([
  ...TOOLS,
  read('github', 'search_repositories'),
  read('github', 'get_repository'),
  read('weather', 'get_weather'),
  read('finance', 'get_stock_price'),
  read('filesystem', 'list_files'),
  read('stripe', 'create_customer'),
  read('team', 'send_team_note'),
  read('notion', 'search'),
  read('linear', 'search'),
  read('drive', 'getFileByID'),
])

function found(name: string, where: NodeIndex = nodeIndex): string {
  const finding = where.find(name)
  return finding.kind === 'found' ? finding.node.descriptor.id : finding.kind
}

test('R136: every spelling of the sources finds its node, which has one id with hyphens', () => {
  const names: readonly (readonly [string, string])[] = [
    ['mcp-github-search_code', 'mcp-github-search-code'],
    ['mcp-github-search-code', 'mcp-github-search-code'],
    ['mcp_github.search_code', 'mcp-github-search-code'],
    ['mcp github search-code', 'mcp-github-search-code'],
    ['github.search_code', 'mcp-github-search-code'],
    ['search-code', 'mcp-github-search-code'],
    ['mcp_stripe.create_customer', 'mcp-stripe-create-customer'],
    ['mcp-weather-get', 'mcp-weather-get'],
    ['mcp-github-search-repos', 'mcp-github-search-repositories'],
    ['mcp-github-get-repo', 'mcp-github-get-repository'],
    ['mcp-finance-get-stock', 'mcp-finance-get-stock-price'],
    ['mcp-filesystem-list-files', 'mcp-filesystem-list-files'],
    ['mcp-slack-send-message', 'mcp-slack-send-message'],
    ['mcp-team-send-note', 'mcp-team-send-note'],
    ['drive.get-file-by-id', 'mcp-drive-get-file-by-id'],
    ['llm', 'llm'],
    ['summarize', 'summarize-text'],
    ['text-processor', 'llm'],
  ]
  for (const [name, id] of names) assert.equal(found(name), id, name)
})

test('a name that could mean two nodes means none', () => {
  assert.equal(found('search'), 'ambiguous')
  assert.deepEqual(nodeIndex.find('search'), {
    kind: 'ambiguous',
    names: ['mcp-linear-search', 'mcp-notion-search'],
  })
  assert.equal(found('notion.search'), 'mcp-notion-search')
  assert.equal(found('mcp-github-search'), 'ambiguous')
})

test('a server cannot take a node over by cutting its own name elsewhere', () => {
  const own = read('slack', 'send_slack_message')
  const cut = read('slack-send', 'message')
  assert.equal(found('mcp-slack-send-message', fakeNodes([own])), 'mcp-slack-send-message')
  assert.equal(found('mcp-slack-send-message', fakeNodes([own, cut])), 'ambiguous')
  const both = fakeNodes([read('slack', 'send-message'), cut])
  assert.equal(found('mcp-slack-send-message', both), 'ambiguous')
  assert.equal(both.tool('slack-send', 'message')?.facts?.id.server, 'slack-send')
  assert.equal(both.tool('slack', 'message'), undefined)
})

test('R136: tools that would share an id keep the spelling of their server', () => {
  const ids = (...names: readonly string[]) =>
    fakeNodes(names.map((name) => read('hub', name)))
      .nodes.map(({ descriptor }) => descriptor.id)
      .filter((id) => id.startsWith('mcp-'))
  assert.deepEqual(ids('read_page', 'hub', '--'), [
    'mcp-hub-read-page',
    'mcp-hub-hub',
    'mcp-hub---',
  ])
  assert.deepEqual(ids('read_page', 'read-page', 'readPage', 'list'), [
    'mcp-hub-read_page',
    'mcp-hub-read-page',
    'mcp-hub-readPage',
    'mcp-hub-list',
  ])
})

test('a mistyped name is answered with what may have been meant', () => {
  assert.deepEqual(nodeIndex.find('mcp-githb-search-code'), {
    kind: 'unknown',
    suggestions: ['mcp-github-search-code'],
  })
  for (const odd of ['', ' ', '-', '\u0000', 'x'.repeat(100_000), 'constructor', '💥']) {
    assert.equal(found(odd), 'unknown', odd.slice(0, 20))
  }
})
