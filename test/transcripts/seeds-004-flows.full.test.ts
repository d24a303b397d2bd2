/** The flows of the second specification (D in `seeds-samples.ts`), as command lines and as JSON, on real servers. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openSeedsCordon } from '../fixtures/seeds-cordon.ts'
import { typed } from './seeds-samples.ts'

const cordon = await openSeedsCordon('github', 'slack', 'memory', 'everything', 'sqlite')
after(() => cordon[Symbol.asyncDispose]())
beforeEach(() => {
  cordon.github.asked.length = 0
  cordon.slack.asked.length = 0
  cordon.slack.messages.length = 0
})

/** The last request to the model. */
const lastAsked = () => cordon.model.asked.at(-1)

test('D§6.3: flags are data or parameters, as the node has it; the engine decides', async () => {
  const found = JSON.parse(await cordon.says(typed('D§6.3 data'))) as Record<string, unknown>
  assert.equal(found['total_count'], 3)
  assert.deepEqual(cordon.github.asked, [
    'GET /search/code?q=authentication+bugs+language%3Apython 200',
  ])
  assert.match(await cordon.says(typed('D§6.3 params')), /"name": "dev-team"/)
  assert.deepEqual(cordon.slack.asked, ['GET conversations.list 20'])
  const { code, stderr } = await cordon.shell('cordon mcp-github-search-code --q x --max-results 2')
  assert.equal(code, 2)
  assert.match(
    stderr,
    /Cannot find --max-results among the inputs .*\(line 1, column 30\)\n.*\n {31}\^/,
  )
})

test('D§6.3 pipe: what is piped in is searched for, summarized and told, once the owner has seen it', async () => {
  const { code, stderr, questions } = await cordon.approving(typed('D§6.3 pipe'))
  assert.equal(code, 0, stderr)
  assert.match(questions[0] ?? '', /q: ‹TODO comments› {2}\(from stdin\)/)
  assert.match(stderr, /^mcp-github-search-code … 3 results /m)
  assert.match(stderr, /^mcp-slack-post-message … done /m)
  assert.deepEqual(cordon.github.asked, ['GET /search/code?q=TODO+comments&per_page=3 200'])
  assert.match(lastAsked()?.messages.at(-1)?.content ?? '', /src\/todo-comments\/login\.py/)
  assert.deepEqual(cordon.slack.messages, [{ channel: 'dev-team', text: 'Three files want work' }])
})

test('D§10.2: the same over several lines, with a prompt and a temperature', async () => {
  const { code, stderr } = await cordon.approving(typed('D§10.2 pipe'))
  assert.equal(code, 0, stderr)
  assert.deepEqual(cordon.github.asked, [
    'GET /search/code?q=security+vulnerability&per_page=10 200',
  ])
  assert.equal(lastAsked()?.temperature, 0.3)
  assert.match(JSON.stringify(lastAsked()?.messages), /Summarize these security findings/)
  assert.deepEqual(
    cordon.slack.messages.map(({ channel }) => channel),
    ['security-alerts'],
  )
})

test('D§10.1: direct use, and the flow that a planner would choose', async () => {
  assert.equal(await cordon.says(typed('D§10.1 use')), 'Three files want work')
  const { code, stdout, stderr } = await cordon.approving(typed('D§10.1 planned'))
  assert.deepEqual([code, stdout], [0, 'summary.md\n'], stderr)
  assert.equal(
    readFileSync(path.join(cordon.folder, 'summary.md'), 'utf8'),
    'Three files want work',
  )
})

const METADATA = {
  planner_version: '1.0.0',
  created_at: '2024-01-01T12:00:00Z',
  prompt: 'find Python authentication bugs on GitHub and post summary to Slack',
}
const SEARCH = {
  id: 'mcp-github-search-code',
  version: '1.0.0',
  type: 'mcp_wrapper',
  params: { per_page: 15 },
  mcp_metadata: { server_id: 'github', tool_name: 'search_code', version: '1.2.0' },
}
const TELL = {
  id: 'mcp-slack-send-message',
  version: '1.0.0',
  type: 'mcp_wrapper',
  params: {},
  mcp_metadata: { server_id: 'slack', tool_name: 'slack_post_message', version: '2.1.0' },
}
const ALERTS = {
  metadata: METADATA,
  nodes: [
    SEARCH,
    { id: 'llm', version: '1.0.0', params: { model: 'gpt-4', temperature: 0.3 } },
    TELL,
  ],
  edges: [
    { from: 'mcp-github-search-code', to: 'llm' },
    { from: 'llm', to: 'mcp-slack-send-message' },
  ],
  mappings: {
    'mcp-slack-send-message': {
      input_mappings: { text: 'summary', channel_id: 'dev-team-alerts' },
    },
  },
}

test('D§8.1 IR: the flow is checked, drawn, run and kept; a channel is looked up by its mapping', async () => {
  cordon.write('alerts.json', ALERTS)
  const checked = await cordon.says('cordon flow check alerts.json')
  assert.match(checked, /"mcp-slack-send-message" takes its "text" from "response" of "llm"/)
  assert.match(checked, /^ {2}needs {2}dev-team-alerts +string$/m)
  assert.match(
    checked,
    /^At most write, with what is sensitive, to github\.search_code, slack\.slack_post_message\.$/m,
  )
  assert.match(checked, /\nIt can run\.$/)
  const drawn = await cordon.says(typed('D§8.3 code'))
  assert.match(drawn, /^mcp-github-search-code >> llm\nllm >> mcp-slack-send-message$/m)
  const missing = await cordon.shell('cordon run alerts.json --input q=x')
  assert.deepEqual([missing.code, missing.stdout], [2, ''])
  assert.match(missing.stderr, /MISSING_INPUT dev-team-alerts \(string\)/)
  const inputs = `--input q="authentication vulnerabilities" --input 'dev-team-alerts=#security-alerts'`
  const { code, stderr } = await cordon.approving(`cordon run alerts.json ${inputs} --wait`)
  assert.equal(code, 0, stderr)
  assert.deepEqual(cordon.github.asked, [
    'GET /search/code?q=authentication+vulnerabilities&per_page=15 200',
  ])
  assert.deepEqual([lastAsked()?.model, lastAsked()?.temperature], ['gpt-4', 0.3])
  assert.deepEqual(cordon.slack.messages, [
    { channel: '#security-alerts', text: 'Three files want work' },
  ])
  await cordon.says('cordon flow save alerts alerts.json --as-mine')
  const { ir } = await cordon.ask<Output<'flows.read'>>(['flow', 'show', 'alerts'])
  assert.deepEqual((ir as typeof ALERTS).metadata, { ...METADATA, name: 'alerts' })
})

test('D§8.2 selection: the nodes that a planner chose fit together, and what does not align is said', async () => {
  cordon.write('chosen.json', {
    nodes: ['mcp-github-search-code', 'llm', 'mcp-slack-post-message'],
  })
  const checked = await cordon.says('cordon flow check chosen.json')
  assert.match(checked, /"llm" takes its "input" from "result" of "mcp-github-search-code"/)
  assert.match(checked, /"mcp-slack-post-message" takes its "text" from "response" of "llm"/)
  cordon.write('chosen.json', { nodes: ['mcp-github-serch-code', 'llm'] })
  const unknown = await cordon.shell('cordon flow check chosen.json')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stdout, /hint: Did you mean "mcp-github-search-code"/)
})

test('D§6.2 mappings: a node keeps its own names, and the store is called otherwise', async () => {
  const mappings = {
    'mcp-github-search-code': {
      input_mappings: { q: 'search_terms', per_page: 'how_many' },
      output_mappings: { result: 'github_code_matches' },
    },
  }
  const count = { id: 'n', type: 'count', params: { items: '${github_code_matches.items}' } }
  const inputs = { how_many: { type: 'integer', default: 10 } }
  cordon.write('mapped.json', { inputs, nodes: ['mcp-github-search-code', count], mappings })
  const run = 'cordon run mapped.json --input search_terms=TODO'
  assert.equal(await cordon.says(run), '3')
  assert.equal(await cordon.says(`${run} --input how_many=2`), '2')
  assert.deepEqual(cordon.github.asked, [
    'GET /search/code?q=TODO&per_page=10 200',
    'GET /search/code?q=TODO&per_page=2 200',
  ])
})

test('D§10.3 marketplace: the same node in another flow, with other names', async () => {
  const mappings = {
    'mcp-github-search-code': {
      input_mappings: { q: 'search_terms', order: 'target_order' },
      output_mappings: { result: 'raw_code_data' },
    },
  }
  const nodes = ['mcp-github-search-code', 'text-processor', 'mcp-slack-post-message']
  cordon.write('market.json', { marketplace_flow: { nodes, mappings } })
  const run = 'cordon run market.json --input search_terms=FIXME --input channel_id=general --wait'
  const { code, stderr } = await cordon.approving(run)
  assert.equal(code, 0, stderr)
  assert.match(lastAsked()?.messages.at(-1)?.content ?? '', /src\/fixme\/login\.py/)
  assert.deepEqual(
    cordon.slack.messages.map(({ channel }) => channel),
    ['general'],
  )
})

test('memory, SQLite and everything are nodes like any other', async () => {
  const rows = "insert into file values ('a.py'), ('b.py')"
  for (const sql of ['create table file(path text)', rows]) {
    await cordon.says(`cordon mcp-sqlite-execute --sql "${sql}" --yes`)
  }
  const select = 'cordon mcp-sqlite-query --sql "select path from file order by path"'
  assert.match(await cordon.says(select), /^path\na\.py\nb\.py\n?$/)
  assert.match(await cordon.says('cordon mcp-everything-get-sum --a 2 --b 40'), /42/)
  const ada = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }]
  await cordon.says(`cordon mcp-memory-create-entities --entities '${JSON.stringify(ada)}' --yes`)
  const recalled = `cordon 'mcp-memory-search-nodes --query Ada >> summarize-text'`
  assert.equal(await cordon.says(recalled), 'Three files want work')
  assert.match(lastAsked()?.messages.at(-1)?.content ?? '', /writes programs/)
})

test('Slack says "not ok" in an answer like any other; a flow can look at it and go on', async () => {
  const refused = { left: '${tell.result.ok}', right: false }
  cordon.write('careful.json', {
    nodes: [
      {
        id: 'tell',
        type: 'mcp-slack-post-message',
        params: { text: 'Hello', channel_id: '${to}' },
      },
      {
        id: 'note',
        type: 'write-file',
        params: { path: 'lost.txt', content: 'Hello' },
        when: refused,
      },
    ],
    inputs: { to: { type: 'string' } },
  })
  await cordon.says('cordon flow save careful.json --as-mine')
  const careful = (to: string) => cordon.shell(`cordon run careful.json --input to=${to} --yes`)
  assert.match((await careful('general')).stderr, /^note \(write-file\) … skipped$/m)
  assert.match((await careful('nowhere')).stderr, /^note \(write-file\) … done /m)
  assert.equal(readFileSync(path.join(cordon.folder, 'lost.txt'), 'utf8'), 'Hello')
  cordon.slack.refusals = 1
  assert.match((await careful('general')).stderr, /^note \(write-file\) … done /m)
  assert.deepEqual(cordon.slack.asked, [
    'POST chat.postMessage',
    'POST chat.postMessage channel_not_found',
    'POST chat.postMessage ratelimited',
  ])
})
