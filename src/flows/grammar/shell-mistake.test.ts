import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideShellMistake, type ShellFacts } from './shell-mistake.ts'

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  'mcp-github-search-code': ['query', 'language'],
  'mcp_github.search_code': ['query'],
  'summarize-text': ['style'],
  'mcp-slack-send-message': ['channel'],
}

function decide(argv: readonly string[], stdoutBasename: string, more: Partial<ShellFacts> = {}) {
  return decideShellMistake({
    argv,
    stdoutIsRegularFile: true,
    stdoutBasename,
    knowsNode: (name) => Object.hasOwn(FLAGS, name),
    ...more,
  })
}

test('decideShellMistake() explains what the shell did, and what to run instead', () => {
  const mistake = decide(['mcp-github-search-code', '--query', 'to do'], 'summarize-text')
  assert.equal(
    mistake?.command,
    `cordon 'mcp-github-search-code --query="to do" >> summarize-text'`,
  )
  assert.deepEqual(mistake?.files, ['summarize-text'])
  assert.match(mistake?.message ?? '', /append to a file.*"summarize-text"/)
  assert.match(mistake?.hint ?? '', /^Run cordon 'mcp-github.*"summarize-text"/)
})

test('decideShellMistake() gives the flags back to the node they were written for', () => {
  const argv = [
    'mcp-github-search-code',
    '--language=python',
    '--channel=dev-team',
    '--style',
    'short',
  ]
  const mistake = decide(argv, 'mcp-slack-send-message', {
    emptyFiles: ['notes.txt', 'summarize-text', 'mcp-slack-send-message'],
    takesFlag: (node, flag) => FLAGS[node]?.includes(flag) === true,
  })
  assert.equal(
    mistake?.command,
    "cordon 'mcp-github-search-code --language=python >> summarize-text --style=short >> mcp-slack-send-message --channel=dev-team'",
  )
  assert.deepEqual(mistake?.files, ['summarize-text', 'mcp-slack-send-message'])
})

test('decideShellMistake() sees the arrows of which the shell leaves a half', () => {
  for (const rest of ['=', '-']) {
    const mistake = decide(['mcp_github.search_code', rest, '--query', 'x'], 'summarize-text')
    assert.equal(mistake?.command, "cordon 'mcp_github.search_code --query=x >> summarize-text'")
  }
})

test('decideShellMistake() says nothing about an honest redirection', () => {
  const argv = ['mcp-github-search-code', '--query', 'x']
  assert.equal(decide(argv, 'results.txt'), undefined)
  assert.equal(decide(argv, 'summarize-text', { stdoutIsRegularFile: false }), undefined)
  assert.equal(decide(argv, 'summarize-text', { stdoutBasename: undefined }), undefined)
  assert.equal(decide(['registry', 'list'], 'summarize-text'), undefined)
  assert.equal(decide(['status', '--json'], 'summarize-text'), undefined)
  assert.equal(decide([], 'summarize-text'), undefined)
})
