import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeFlow } from './complete-flow.ts'
import { describeNode, NODES } from './test-nodes.ts'

const KNOWN = { names: Object.keys(NODES), describe: describeNode }

function offers(line: string): readonly string[] {
  return completeFlow(line, KNOWN)
}

test('completeFlow() offers nodes where one is to be named', () => {
  assert.deepEqual(offers('mcp-s'), ['mcp-slack-send-message', 'mcp-stripe-create-customer'])
  for (const before of [
    '',
    'wait >> ',
    'wait then ',
    'wait >>',
    'wait\n',
    '# note\n',
    'wait - "timeout" >> ',
  ]) {
    assert.deepEqual(offers(before), Object.keys(NODES), before)
  }
})

test('completeFlow() offers the flags of the node, each once, lists again, and the join', () => {
  assert.deepEqual(offers('wait >> llm '), ['--prompt', '--text', '--model', '--temperature', '>>'])
  assert.deepEqual(offers('llm --prompt="a b" --te'), ['--text', '--temperature'])
  assert.deepEqual(offers('llm as x --prompt a --p'), [])
  assert.deepEqual(offers('llm --prompt=a '), ['--text', '--model', '--temperature', '>>'])
  assert.deepEqual(offers('mcp github search-code --labels a --l'), ['--language', '--labels'])
  assert.deepEqual(offers('summarize@1 --t'), ['--text'])
  assert.deepEqual(offers('mcp-github-search-code --query x --no-'), ['--no-archived'])
})

test('completeFlow() offers the values of a flag, quoted where they have to be', () => {
  assert.deepEqual(offers('mcp-github-search-code --language '), ['python', 'perl', '"c sharp"'])
  assert.deepEqual(offers('mcp-github-search-code --language p'), ['python', 'perl'])
  assert.deepEqual(offers('mcp-github-search-code --language=py'), ['--language=python'])
  assert.deepEqual(offers('mcp-github-search-code --archived='), [
    '--archived=true',
    '--archived=false',
  ])
  assert.deepEqual(offers('mcp-github-search-code --query '), [])
  assert.ok(offers('mcp-github-search-code --no-archived ').includes('--query'))
})

test('completeFlow() offers nothing inside a quote, to an unknown node and after half of three words', () => {
  for (const line of ['llm --prompt "wai', 'nobody ', 'mcp github ', 'wait | ']) {
    assert.deepEqual(offers(line), [], line)
  }
})
