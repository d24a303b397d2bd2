/** Flows of clients: checked before the first step, labelled value by value, limited to the client's contexts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLOW_GUIDE } from '../../src/gateway/flow-guide.ts'
import { estimateTokens } from '../../src/text/estimate-tokens.ts'
import { openFlowCordon } from '../fixtures/flow-cordon.ts'
import {
  approveNext,
  connectHttp,
  connectLines,
  namesOf,
  say,
  sayingNow,
} from '../fixtures/gateway-clients.ts'

test('the flow language is told in at most 600 tokens, and every form in it is one that the checker takes', async () => {
  assert.ok(estimateTokens(FLOW_GUIDE) <= 600, `${estimateTokens(FLOW_GUIDE)} tokens`)
  await using cordon = await openFlowCordon()
  await cordon.ask(['client', 'add', 'claude'])
  const client = await connectLines(cordon, 'claude')
  const found = 'mcp github search_code as s --query "TODO"'
  const examples = [
    ...FLOW_GUIDE.split('\n')
      .filter((line) => line.startsWith('  mcp github search'))
      .map((line) => line.trim()),
    FLOW_GUIDE.slice(FLOW_GUIDE.indexOf('  mcp github get_repo')),
    `${found} >> filter --items "\${s.search_results}" --where '{"field":"path","op":"contains","value":"a"}'`,
    `${found} >> map --items "\${s.search_results}" --to "\${item.path}" >> join --separator ", "`,
    `${found} >> sort --items "\${s.search_results}" --by path --order desc >> first`,
    `${found} >> unique --items "\${s.search_results}" --by path >> pick --fields '["path"]'`,
    `${found} >> format --template "text \${s.total}"`,
  ]
  for (const flow of examples) {
    const { text, isError } = await say(client, 'check_flow', { flow })
    assert.ok(!isError && text.endsWith('It can run.'), `${flow}\n${text}`)
  }
  await client.close()
})

test('run_flow runs several calls in one answer; what it cannot run it refuses before the first step', async () => {
  await using cordon = await openFlowCordon()
  await cordon.ask(['client', 'add', 'claude'])
  const client = await connectHttp(cordon, 'claude')
  const flow =
    'mcp github search_code as s --query "TODO" >> map --items "${s.search_results}" --to "${item.path}" >> join --separator ", "'
  assert.equal((await say(client, 'run_flow', { flow })).text, 'src/a.py, src/b.py, src/c.py')
  const inputs = { repo: 'given' }
  const given = await say(client, 'run_flow', {
    flow: 'mcp github get_repo --repo "${repo}"',
    inputs,
  })
  assert.equal(given.text, 'given has 3 files')
  const unknown = 'mcp github get_repo --repo x >> mcp github no_such_tool'
  const refused = await say(client, 'run_flow', { flow: unknown })
  assert.equal(refused.isError, true)
  assert.match(refused.text, /no.such.tool/)
  // Built-in nodes that use the owner's files, memory or models are not for clients.
  for (const own of ['read-file --path x', 'llm --prompt x', 'remember --text x']) {
    const result = await say(client, 'run_flow', { flow: own })
    assert.ok(result.isError && /may not use/.test(result.text), result.text)
  }
  await client.close()
})

test('GATE-7: literals of a flow carry what the client has read, so that a flow launders nothing', async () => {
  await using cordon = await openFlowCordon()
  await cordon.ask(['client', 'add', 'claude'])
  const client = await connectLines(cordon, 'claude')
  const flow = 'mcp slack send_message --channel dev --message "what I read"'
  const before = await say(client, 'check_flow', { flow })
  assert.doesNotMatch(before.text, /not yours|github/)
  await say(client, 'github__get_repo', { repo: 'cordon' })
  const after = await say(client, 'check_flow', { flow })
  assert.match(after.text, /asks the owner: .*(not yours|github)/)
  await client.close()
})

test('GATE-7: a flow is limited to the contexts of its client, also when they change while it waits', async () => {
  await using cordon = await openFlowCordon()
  await cordon.ask(['context', 'add', 'code', 'github'])
  await cordon.ask(['context', 'add', 'all', 'github', 'slack'])
  await cordon.ask(['client', 'add', 'claude', '--context', 'code'])
  const client = await connectLines(cordon, 'claude')
  const flow = 'mcp slack send_message --channel dev --message hello'
  const refused = await say(client, 'run_flow', { flow })
  assert.ok(refused.isError && /may not use slack/.test(refused.text), refused.text)
  await cordon.ask(['context', 'use', 'all'])
  // Two questions are put as one before the first step; each call is judged again when its turn comes.
  const twice = `${flow} >> mcp slack send_message as more --channel ops --message hello`
  const sending = say(client, 'run_flow', { flow: twice })
  await approveNext(cordon, () => cordon.ask(['context', 'use', 'code']))
  assert.match((await sending).text, /may not use slack/)
  await cordon.ask(['context', 'use', 'all'])
  const history = await cordon.ask<{ readonly result: unknown }>(['mcp', 'call', 'slack.history'])
  assert.doesNotMatch(JSON.stringify(history), /hello/)
  await client.close()
})

test('a run that waits for the owner outlives the call, and only its own client is told of it', async () => {
  await using cordon = await openFlowCordon()
  await cordon.ask(['client', 'add', 'one'])
  await cordon.ask(['client', 'add', 'two', '--tainted', 'deny'])
  const one = await connectLines(cordon, 'one')
  const two = await connectLines(cordon, 'two')
  const flow = 'mcp slack send_message --channel dev --message hello'
  const progress: string[] = []
  const sending = sayingNow(one, 'run_flow', { flow }, (message) => progress.push(message))
  await approveNext(cordon)
  assert.equal((await sending).text, 'sent to dev')
  const { runs } = await cordon.ask<{
    readonly runs: readonly { id: string; principal: string }[]
  }>(['flow', 'runs'])
  const [run] = runs
  assert.equal(run?.principal, 'principal:client:one')
  assert.equal((await say(one, 'run_flow', { run: run?.id })).text, 'sent to dev')
  const foreign = await say(two, 'run_flow', { run: run?.id })
  assert.deepEqual([foreign.isError, /no such run/.test(foreign.text)], [true, true])
  const denied = await say(two, 'run_flow', { flow })
  assert.equal(denied.isError, true)
  await Promise.all([one.close(), two.close()])
})

test('saved flows are tools with the effect of all their steps, and run as the plan of their owner', async () => {
  await using cordon = await openFlowCordon()
  await cordon.ask(['flow', 'save', 'repo', 'mcp-github-get-repo'])
  await cordon.ask([
    'flow',
    'save',
    'tell',
    'mcp-github-get-repo --repo x >> mcp-slack-send-message --channel dev',
  ])
  await cordon.ask(['client', 'add', 'claude'])
  const client = await connectLines(cordon, 'claude')
  const { tools } = await client.listTools()
  const flows = new Map(tools.map((tool) => [tool.name, tool]))
  assert.equal(flows.get('flow-repo')?.annotations?.readOnlyHint, true)
  assert.deepEqual(flows.get('flow-repo')?.inputSchema.required, ['repo'])
  assert.equal(flows.get('flow-tell')?.annotations?.destructiveHint, true)
  assert.equal((await say(client, 'flow-repo', { repo: 'a' })).text, 'a has 3 files')
  await cordon.ask(['context', 'add', 'code', 'github'])
  await cordon.ask(['context', 'use', 'code'])
  const names = await namesOf(client)
  assert.ok(names.includes('flow-repo') && !names.includes('flow-tell'))
  await assert.rejects(client.callTool({ name: 'flow-tell', arguments: {} }), /no tool/)
  await client.close()
})

test('a tainted call that is refused says that a flow may be quieter, and a flow from the start is', async () => {
  await using cordon = await openFlowCordon()
  await cordon.ask(['tools', 'mark', 'github.create_issue', 'write'])
  await cordon.ask(['client', 'add', 'claude', '--tainted', 'deny'])
  const issue = { repo: 'cordon', title: 'x' }
  const plain = await connectLines(cordon, 'claude')
  await say(plain, 'github__search_code', { query: 'TODO' })
  const refused = await say(plain, 'github__create_issue', issue)
  assert.ok(refused.isError)
  assert.match(refused.text, /Ways forward: .*one run_flow, which keeps labels per value/)
  await plain.close()
  const whole = await connectLines(cordon, 'claude')
  const flow =
    'mcp github search_code --query TODO >> mcp github create_issue --repo cordon --title x'
  assert.equal((await say(whole, 'run_flow', { flow })).text, 'opened x')
  await whole.close()
})
