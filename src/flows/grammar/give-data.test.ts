import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnly, readFlow } from './test-nodes.ts'
import { missingInputError } from './to-ir.ts'

test('toIr() asks for what the first step needs, also where the flow comes back to it', () => {
  const { missing } = readFlow('mcp-github-search-code as s - "timeout" >> wait >> s')
  assert.deepEqual(
    missing.map(({ name, mayArrive }) => [name, mayArrive]),
    [['query', false]],
  )
})

test('toIr() gives what is typed at one step to no other', () => {
  const { ir, data } = readFlow('llm --prompt one >> llm --prompt two --text three')
  assert.deepEqual(data, { 'llm-prompt': 'one', 'llm-2-prompt': 'two', 'llm-2-text': 'three' })
  assert.deepEqual(ir['mappings'], {
    llm: { input_mappings: { prompt: 'llm-prompt' } },
    'llm-2': { input_mappings: { prompt: 'llm-2-prompt', text: 'llm-2-text' } },
  })
  const later = readFlow('llm as one >> llm as two --prompt late')
  assert.deepEqual(later.data, { 'two-prompt': 'late' })
  assert.deepEqual(
    later.missing.map(({ node, name, key }) => [node, name, key]),
    [['one', 'prompt', 'one-prompt']],
  )
  const file = { inputs: ['path'], params: {}, types: {} }
  const files = describeOnly({ 'read-file': file, 'write-file': file })
  assert.deepEqual(
    readFlow('read-file --path a >> write-file', {}, files).missing.map(({ node }) => node),
    ['write-file'],
  )
})

test('toIr() lets no step before write over a flag, and no new key pass for an old one', () => {
  const writer = { inputs: [], outputs: ['x'], params: {}, types: {} }
  const reader = { inputs: ['x'], params: {}, types: {} }
  const { ir, data } = readFlow('a >> b --x 1', {}, describeOnly({ a: writer, b: reader }))
  assert.deepEqual(data, { 'b-x': '1' })
  assert.deepEqual(ir['mappings'], { b: { input_mappings: { x: 'b-x' } } })
  const odd = { inputs: ['$a', 'n--a'], params: {}, types: {} }
  assert.deepEqual(readFlow('n --$a 1 --n--a 2', {}, describeOnly({ n: odd })).data, {
    'n--a-2': '1',
    'n--a': '2',
  })
})

test('toIr() gives a key that the store cannot hold another one', () => {
  const { ir, data } = readFlow('mcp-weather-get --$where here --stdin there')
  assert.deepEqual(data, { 'mcp-weather-get--where': 'here', 'mcp-weather-get-stdin': 'there' })
  assert.deepEqual(ir['mappings'], {
    'mcp-weather-get': {
      input_mappings: { $where: 'mcp-weather-get--where', stdin: 'mcp-weather-get-stdin' },
    },
  })
  const [missing] = readFlow('mcp-weather-get').missing
  assert.equal(missing?.key, 'mcp-weather-get--where')
})

test('toIr() gives what is piped in to the first input that the first step still needs', () => {
  const piped = { stdin: true }
  const { stdin, missing, ir } = readFlow(
    'mcp-github-search-code --language=python >> summarize',
    piped,
  )
  assert.equal(stdin?.key, 'query')
  assert.deepEqual(
    missing.map(({ name, mayArrive }) => [name, mayArrive]),
    [['text', true]],
  )
  assert.deepEqual(ir['inputs'], {
    language: { type: 'string', default: 'python' },
    query: { type: 'string', required: true, stdin: true },
  })
  assert.equal(readFlow('mcp-github-search-code --query x >> summarize', piped).stdin, undefined)
  assert.equal(readFlow('mcp-github-search-code --language ${stdin}', piped).stdin, undefined)
  assert.deepEqual(
    readFlow('mcp-slack-send-message', piped).missing.map(({ name }) => name),
    ['channel'],
  )
})

test('toIr() lists what is missing, and missingInputError() says it to those who cannot be asked', () => {
  const { missing, ir } = readFlow('mcp-github-search-code >> mcp-slack-send-message --channel dev')
  assert.deepEqual(missing, [
    {
      key: 'query',
      name: 'query',
      type: 'string',
      node: 'mcp-github-search-code',
      mayArrive: false,
    },
    {
      key: 'message',
      name: 'message',
      type: 'string',
      node: 'mcp-slack-send-message',
      mayArrive: true,
    },
  ])
  assert.deepEqual(ir['inputs'], {
    channel: { type: 'string', default: 'dev' },
    query: { type: 'string', required: true },
  })
  const error = missingInputError(missing.filter(({ mayArrive }) => !mayArrive))
  assert.equal(
    error.message,
    'Cannot start the flow: MISSING_INPUT query (string) of mcp-github-search-code',
  )
  assert.match(error.hint, /^Add --query VALUE/)
})

test('toIr() does not miss what a step before writes', () => {
  assert.deepEqual(readFlow('llm --prompt x >> summarize').missing, [])
})
