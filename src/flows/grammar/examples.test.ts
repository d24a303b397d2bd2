/** Every command line of the documents that Cordon grew from, with its own name in place of theirs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIr } from '../language/ir.ts'
import type { Json } from '../../text/json.ts'
import { parseFlow } from './parse-flow.ts'
import { printFlow } from './print-flow.ts'
import { readStdin } from './read-value.ts'
import { describeNode } from './test-nodes.ts'
import { type FlowReading, toIr } from './to-ir.ts'

function read(source: string | readonly string[], stdin = false): FlowReading {
  const parsed = parseFlow(source)
  if (parsed.kind === 'problem') throw new Error(JSON.stringify(parsed.problem))
  const result = toIr(parsed.flow, describeNode, { stdin })
  if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems))
  parseIr(result.reading.ir)
  return result.reading
}

function types({ ir }: FlowReading): readonly string[] {
  return (ir['nodes'] as { type: string }[]).map(({ type }) => type)
}

function params({ ir }: FlowReading): readonly Json[] {
  return (ir['nodes'] as { params: Json }[]).map(({ params }) => params)
}

/** As it would arrive from a shell: as one text, cut into words with a quoted sign, and with the plain word. */
function everyForm(
  text: string,
  words: readonly string[],
): readonly (string | readonly string[])[] {
  const plain = words.map((word) => (word === '>>' ? 'then' : word))
  return [text, [text], words, plain]
}

test('mcp_github.search_code --query "TODO" >> summarize >> mcp_stripe.create_customer', () => {
  const text = 'mcp_github.search_code --query "TODO" >> summarize >> mcp_stripe.create_customer'
  const words = [
    'mcp_github.search_code',
    '--query',
    'TODO',
    '>>',
    'summarize',
    '>>',
    'mcp_stripe.create_customer',
  ]
  for (const form of everyForm(text, words)) {
    const reading = read(form)
    assert.deepEqual(types(reading), [
      'mcp-github-search-code',
      'summarize-text',
      'mcp-stripe-create-customer',
    ])
    assert.deepEqual(reading.data, { query: 'TODO' })
    assert.equal((reading.ir['edges'] as Json[]).length, 2)
  }
})

test('mcp-github-search-code --query="authentication bugs" --language="python"', () => {
  const text = 'mcp-github-search-code --query="authentication bugs" --language="python"'
  const words = ['mcp-github-search-code', '--query=authentication bugs', '--language=python']
  for (const form of everyForm(text, words)) {
    assert.deepEqual(read(form).data, { query: 'authentication bugs', language: 'python' })
  }
})

test('mcp-github-search-code --max-results=20', () => {
  const reading = read('mcp-github-search-code --max-results=20')
  assert.deepEqual(params(reading), [{ max_results: 20 }])
  assert.deepEqual(reading.data, {})
  assert.deepEqual(
    reading.missing.map(({ name }) => name),
    ['query'],
  )
})

test('echo "TODO comments" | … --language=python >> summarize-text >> mcp-slack-send-message --channel=dev-team', () => {
  const text =
    'mcp-github-search-code --language=python >> summarize-text >> mcp-slack-send-message --channel=dev-team'
  for (const form of everyForm(text, text.split(' '))) {
    const reading = read(form, true)
    assert.equal(reading.stdin?.key, 'query')
    assert.deepEqual(readStdin('TODO comments\n', reading.stdin?.type), {
      kind: 'value',
      value: 'TODO comments',
    })
    assert.deepEqual(reading.data, { language: 'python', channel: 'dev-team' })
    // The checker maps the inputs that arrive from the step before.
    assert.ok(reading.missing.every(({ mayArrive }) => mayArrive))
  }
})

test('mcp-github-search-code --query "authentication" --language "python" >> summarize-text', () => {
  const text =
    'mcp-github-search-code --query "authentication" --language "python" >> summarize-text'
  const reading = read(text)
  assert.deepEqual(types(reading), ['mcp-github-search-code', 'summarize-text'])
  assert.deepEqual(reading.data, { query: 'authentication', language: 'python' })
})

test('echo "security vulnerability" | … over four lines', () => {
  const text = String.raw`
  mcp-github-search-code --language python --max-results 10 >> \
  llm --prompt="Summarize these security findings" --temperature 0.3 >> \
  mcp-slack-send-message --channel security-alerts`
  for (const form of [text, text.replaceAll('\\\n', '\n')]) {
    const reading = read(form, true)
    assert.equal(reading.stdin?.key, 'query')
    assert.deepEqual(params(reading), [{ max_results: 10 }, { temperature: 0.3 }, {}])
    assert.deepEqual(reading.data, {
      language: 'python',
      prompt: 'Summarize these security findings',
      channel: 'security-alerts',
    })
  }
})

test('mcp slack send-message', () => {
  for (const form of everyForm(
    'mcp slack send-message --channel x --message y',
    'mcp slack send-message --channel x --message y'.split(' '),
  )) {
    assert.deepEqual(types(read(form)), ['mcp-slack-send-message'])
  }
})

test('the edges that handle errors', () => {
  const text = `mcp-github-search-code as github_search --query x >> summarize as process_results

# Error handling paths using actions
github_search - "rate_limited" >> wait as retry_handler >> github_search  # Loop back after delay
github_search - "auth_failed" >> wait as auth_refresher >> github_search  # Refresh token and retry
github_search - "resource_missing" >> wait as error_reporter              # Log and continue
github_search - "timeout" >> retry_handler                                # Standard retry logic
`
  assert.deepEqual(read(text).ir['edges'], [
    { from: 'github_search', to: 'process_results' },
    { from: 'github_search', to: 'retry_handler', action: 'rate_limited', max: 3 },
    { from: 'retry_handler', to: 'github_search' },
    { from: 'github_search', to: 'auth_refresher', action: 'auth_failed', max: 3 },
    { from: 'auth_refresher', to: 'github_search' },
    { from: 'github_search', to: 'error_reporter', action: 'resource_missing', max: 3 },
    { from: 'github_search', to: 'retry_handler', action: 'timeout', max: 3 },
  ])
})

test('what the planner answers with: mcp-github-search-code >> llm >> write-file', () => {
  const parsed = parseFlow('mcp-github-search-code >> llm >> write-file')
  assert.equal(
    parsed.kind === 'flow' && printFlow(parsed.flow),
    'mcp-github-search-code >> llm >> write-file',
  )
})

test('a sentence is not a flow', () => {
  const parsed = parseFlow('find Python authentication bugs on GitHub and create a summary')
  assert.equal(parsed.kind === 'problem' && parsed.problem.code, 'flows.stray-word')
})

/** They belong to the program. Even if one came this far, it would not pass for a flow of nodes. */
const COMMANDS: readonly string[] = [
  'mcp add --transport sse --url https://… --name weather --token-env CORDON_WEATHER_TOKEN',
  'mcp edit',
  'mcp launch gh',
  'mcp launch <name>',
  'mcp daemon',
  'mcp list',
  'registry add-mcp --server github --tool search_code --command "mcp-github" --transport stdio',
  'registry add-mcp --server github --command "mcp-github" --transport stdio',
  'registry list --filter mcp',
  'registry list --filter github',
  'registry refresh --mcp-server github',
  'registry describe mcp-github-search-code',
  'registry search mcp-github',
  'registry validate --all',
  'registry validate --mcp-wrappers',
  'registry migrate-mcp --from ~/.cordon/mcp.json --backup',
  'registry test-mcp-connections',
]

test('the commands of the program never pass for a flow', () => {
  for (const command of COMMANDS)
    assert.throws(() => read(command), /flows\.(?:stray-word|bad-name|unknown-node)/, command)
})
