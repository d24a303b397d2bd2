/** The commands in the first specifications of flows, typed again: stand-ins for GitHub and Slack, a scripted model. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { environmentFor, finish, MAIN } from '../fixtures/cordon.ts'
import { openFlowCordon } from '../fixtures/flow-cordon.ts'
import { approveDuring } from '../fixtures/owner-elsewhere.ts'
import { openModelStandIn } from '../fixtures/model-stand-in.ts'

const model = await openModelStandIn()
model.answer = () => 'Three files want work'
const settings = `[models.default]\nurl = "${model.url}"\nmodel = "m"\nlocal = true\n`
const cordon = await openFlowCordon({ settings })
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})
beforeEach(() => {
  model.asked.length = 0
})

/** Runs a command with `--wait`; the owner approves every question in another terminal. */
async function withApprovals(args: readonly string[], stdin = '') {
  const child = cordon.start([...args, '--wait'], { cwd: cordon.folder })
  child.stdin?.end(stdin)
  const ran = finish(child)
  const questions = await approveDuring(cordon, ran)
  return { ...(await ran), questions }
}

test('nodes are listed, found, described and written down', async () => {
  const listed = await cordon.says(['registry', 'list', '--filter', 'github'])
  assert.match(listed, /^mcp-github-search-code {3}Search code in repositories$/m)
  assert.match(listed, /^mcp-github-get-repo {6}Get repository information$/m)
  assert.doesNotMatch(listed, /slack/)
  assert.match(await cordon.says(['registry', 'list', '--filter', 'mcp']), /mcp-slack-send-message/)
  const described = await cordon.says(['registry', 'describe', 'mcp-github-search-code'])
  assert.match(described, /Reads: shared\["query"\]\n.*shared\["language"\].*\(optional\)/)
  assert.match(described, /Params: max_results \(default 10\)/)
  assert.match(described, /MCP Source: github\/search_code/)
  const code = await cordon.says(['registry', 'export', 'mcp-github-search-code', '--ts'])
  assert.match(code, /^export class McpGithubSearchCodeNode \{$/m)
  assert.match(await cordon.says(['registry', 'validate', '--all']), /0 with problems\.$/)
  assert.match(await cordon.says(['registry', 'validate', '--mcp-wrappers']), /^5 nodes, 0 saved/)
  const connections = await cordon.says(['registry', 'test-mcp-connections'])
  assert.match(connections, /^github +ok +3 tools\nslack +ok +2 tools$/)
  assert.match(await cordon.says(['registry', 'refresh', '--mcp-server', 'github']), /3 tools/)
})

test('flags are data or parameters, as the node has it; the engine decides', async () => {
  const search = ['mcp-github-search-code', '--query=authentication bugs', '--language=python']
  const found = JSON.parse(await cordon.says(search)) as Record<string, unknown>
  assert.equal(found['total'], 3)
  const query = { path: 'src/a.py', query: 'authentication bugs', language: 'python' }
  assert.deepEqual((found['search_results'] as unknown[])[0], query)
  const { outputs, state } = await cordon.ask<Output<'flows.show'>>([
    'mcp-github-search-code',
    '--query',
    'x',
    '--max-results=2',
  ])
  assert.deepEqual([state, outputs?.['total']], ['completed', 2])
  for (const name of ['mcp_github.search_code', 'github.search_code', 'search-code']) {
    assert.match(await cordon.says([name, '--query', 'TODO']), /"total": 3/)
  }
})

test('search, summarize, notify: what others wrote is shown before it goes anywhere', async () => {
  const flow =
    'mcp-github-search-code --language=python >> summarize-text >> mcp-slack-send-message --channel=dev-team'
  const alone = await cordon.run([flow, '--yes'], { stdin: 'TODO comments' })
  assert.deepEqual([alone.code, alone.stdout], [3, ''])
  assert.match(alone.stderr, /Not everything in it is your own words.*\n.*hint: .*`--wait`/)
  const { code, stdout, stderr, questions } = await withApprovals([flow], 'TODO comments')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /sent to dev-team/)
  assert.match(
    stderr,
    /^mcp-github-search-code … [^]*^summarize-text … [^]*^mcp-slack-send-message … /m,
  )
  assert.equal(questions.length, 2)
  assert.match(questions[0] ?? '', /query: ‹TODO comments› {2}\(from stdin\)/)
  assert.match(questions[1] ?? '', /message: ‹Three files want work›/)
  assert.match(model.asked[0]?.messages.at(-1)?.content ?? '', /TODO comments/)
  assert.match(await cordon.says(['mcp-slack-history']), /"channel":"dev-team"/)
})

test('the same without quotes, with `then`; and several lines of a shell', async () => {
  const words = 'mcp-github-search-code --query TODO then llm --temperature 0.3 --prompt'
  const said = await cordon.says([...words.split(' '), 'Summarize these findings'])
  assert.equal(said, 'Three files want work')
  assert.equal(model.asked[0]?.temperature, 0.3)
  const line = `echo "security vulnerability" | \\
    cordon 'llm --prompt="Summarize these security findings" \\
    --temperature 0.3' | tr a-z A-Z`
  assert.equal(await inShell(line), 'THREE FILES WANT WORK\n')
  assert.match(model.asked[1]?.messages.at(-1)?.content ?? '', /security vulnerability/)
  await cordon.says(['llm --prompt a >> llm as second --prompt b'], 'only for the first')
  const [first, second] = model.asked.slice(2).map(({ messages }) => messages.at(-1)?.content ?? '')
  assert.match(first ?? '', /only for the first/)
  assert.match(second ?? '', /Three files/)
  assert.doesNotMatch(second ?? '', /only for the first/)
})

/** Types a line into a shell in which `cordon` is the program under test. */
async function inShell(line: string): Promise<string> {
  const script = `cordon() { '${process.execPath}' '${MAIN}' "$@"; }\n${line}`
  const env = environmentFor(cordon.home)
  const child = spawn('/bin/bash', ['-c', script], { cwd: cordon.folder, env })
  const { stdout, stderr } = await finish(child)
  return stdout || stderr
}

test('a shell that takes `>>` for itself is found out, and nothing runs', async () => {
  const runs = await cordon.says(['flow', 'runs'])
  const said = await inShell('cordon mcp-github-search-code --query TODO >> summarize-text')
  assert.match(said, /the shell read ">>" as "append to a file" and wrote to "summarize-text"/)
  assert.match(said, /hint: Run cordon '.* >> summarize-text' with the quotes/)
  assert.equal(readFileSync(path.join(cordon.folder, 'summarize-text'), 'utf8'), '')
  assert.equal(await cordon.says(['flow', 'runs']), runs)
  const saved = await inShell(
    'cordon flow save todos mcp-github-search-code --query TODO >> summarize-text',
  )
  assert.match(saved, /hint: Run cordon flow save todos '.* >> summarize-text' with the quotes/)
  assert.match(await cordon.says(['flow', 'list']), /No flow is saved/)
  await inShell('cordon mcp-github-get-repo --repo x > answer.txt')
  assert.equal(readFileSync(path.join(cordon.folder, 'answer.txt'), 'utf8'), 'x has 3 files\n')
})

const IR = {
  ir_version: '1.0.0',
  metadata: { planner_version: '2025.1', prompt: 'find TODOs, and tell the team' },
  nodes: [
    {
      id: 'mcp-github-search-code',
      type: 'mcp_wrapper',
      params: { language: 'python', max_results: 2 },
      mcp_metadata: { server_id: 'github', tool_name: 'search_code' },
    },
    { id: 'llm', type: 'llm', params: { prompt: 'Summarize', temperature: 0.3 } },
    {
      id: 'mcp-slack-send-message',
      type: 'mcp_wrapper',
      params: {},
      mcp_metadata: { server_id: 'slack', tool_name: 'send_message' },
    },
  ],
  edges: [
    { from: 'mcp-github-search-code', to: 'llm' },
    { from: 'llm', to: 'mcp-slack-send-message' },
  ],
  mappings: {
    'mcp-slack-send-message': {
      input_mappings: { message: 'response', channel: 'dev-team-alerts' },
    },
  },
}

test('a flow as JSON, with what it is given looked up by its mapping', async () => {
  writeFileSync(path.join(cordon.folder, 'alerts.json'), JSON.stringify(IR))
  const missing = await cordon.run(['run', 'alerts.json'])
  assert.equal(missing.code, 2)
  assert.match(missing.stderr, /MISSING_INPUT/)
  const args = ['run', 'alerts.json', '--input', 'query=TODO']
  const { code, stderr } = await withApprovals([
    ...args,
    '--input',
    'dev-team-alerts=#security-alerts',
  ])
  assert.equal(code, 0, stderr)
  assert.match(await cordon.says(['mcp-slack-history']), /"channel":"#security-alerts"/)
})

test('older spellings work, and say how to write them', async () => {
  const sent = await cordon.run(['mcp', 'github', 'get-repo', '--repo', 'x'])
  assert.equal(sent.stdout, 'x has 3 files\n')
  assert.match(sent.stderr, /older spelling; write `cordon mcp-github-get-repo`/)
  const launched = await cordon.run(['mcp', 'launch', 'github'])
  assert.deepEqual([launched.code, launched.stdout], [0, 'github is connected\n'])
  assert.match(launched.stderr, /older spelling; write `cordon mcp start`/)
  const daemon = await cordon.run(['mcp', 'daemon'])
  assert.equal(daemon.code, 0)
  const added = await cordon.run([
    ...'mcp add --transport sse --url https://weather.example/sse'.split(' '),
    ...'--name weather --token-env WEATHER_TOKEN'.split(' '),
  ])
  assert.equal(added.code, 0, added.stderr)
  const registered = ['registry', 'add-mcp', '--server', 'gh', '--tool', 'search_code']
  await cordon.ask([...registered, '--command', 'mcp-github --stdio', '--transport', 'stdio'])
  const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'gh'])
  assert.deepEqual([shown.command, shown.args], ['mcp-github', ['--stdio']])
})

test('the servers of another program move in by the older name of that command too', async () => {
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  const file = path.join(cordon.folder, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { docs: { url: 'https://docs.example/mcp' } } }))
  const said = await cordon.says(['registry', 'migrate-mcp', '--from', 'mcp.json', '--backup'])
  assert.match(said, /docs: /)
  assert.match(await cordon.says(['mcp', 'list']), /^docs /m)
})
