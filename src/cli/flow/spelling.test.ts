import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSpelling } from './spelling.ts'

const MCP: ReadonlySet<string> = new Set(['add', 'list', 'call', 'start', 'logs'])

test('older spellings become ours, with a note that says how to write them', () => {
  for (const [was, now, note] of [
    ['mcp launch gh', 'mcp start gh', 'mcp start'],
    ['--json mcp launch gh', '--json mcp start gh', 'mcp start'],
    ['mcp daemon', 'up --detach', 'up --detach'],
    [
      'mcp slack send-message --channel dev',
      'mcp-slack-send-message --channel dev',
      'mcp-slack-send-message',
    ],
    [
      'mcp add --transport sse --url https://w.example --name weather --token-env W',
      'mcp add weather --transport sse --url https://w.example --token-env W',
      'mcp add NAME',
    ],
    [
      'mcp add --name=weather --url https://w.example',
      'mcp add weather --url https://w.example',
      'mcp add NAME',
    ],
  ] as const) {
    const spelling = readSpelling(was.split(' '), MCP)
    assert.deepEqual(spelling.args, now.split(' '))
    assert.match(spelling.note ?? '', new RegExp(`older spelling; write \`cordon ${note}\`$`))
  }
})

test('what is spelled as we spell it is left alone', () => {
  for (const line of [
    'mcp list',
    'mcp',
    'mcp --help',
    'mcp call notion.search {}',
    'mcp add files -- node x.js --name y',
    'mcp lst',
    'vault list',
    '--json',
    '',
  ]) {
    const args = line.split(' ')
    assert.deepEqual(readSpelling(args, MCP), { args })
  }
})

test('a mistyped subcommand stays, so that the command line can name the closest', () => {
  for (const typed of ['mcp cal files.read', 'mcp lsit', 'mcp strt notion']) {
    assert.deepEqual(readSpelling(typed.split(' '), MCP), { args: typed.split(' ') })
  }
})
