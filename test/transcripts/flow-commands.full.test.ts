/** Flows seen from a terminal: saved, shown, run, approved, scheduled, and the messages for mistakes. */
import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import type { KernelStatus } from '../../src/api/kernel.ts'
import { finish, seen } from '../fixtures/cordon.ts'
import { openFlowCordon } from '../fixtures/flow-cordon.ts'
import { apiOf, approveDuring } from '../fixtures/owner-elsewhere.ts'
import { onlyInFull } from '../../src/kernel/test-rounds.ts'
import { until } from '../fixtures/until.ts'

const TODOS = 'mcp-github-search-code --query TODO >> count'
const NIGHTLY =
  '[templates.nightly]\nallowed_tools = ["github.*"]\noutput_sinks = ["sink:owner"]\ndata_ceiling = "sensitive"\n'

const cordon = await openFlowCordon({ settings: NIGHTLY })
after(() => cordon[Symbol.asyncDispose]())

test('a flow is saved, listed, shown, run with other inputs, edited, drawn and removed', async () => {
  const { says, folder } = cordon
  assert.equal(
    await says(['flow', 'save', 'repo', 'mcp-github-get-repo --repo cordon']),
    'Saved repo: mcp-github-get-repo.',
  )
  const again = await cordon.run(['flow', 'save', 'repo', 'mcp-github-get-repo --repo x'])
  assert.equal(again.code, 2)
  assert.match(again.stderr, /--replace/)
  assert.match(await says(['flow', 'list']), /^repo +mcp-github-get-repo +20/)
  assert.equal(await says(['flow', 'show', 'repo']), 'mcp-github-get-repo --repo cordon')
  assert.equal(await says(['flow', 'run', 'repo']), 'cordon has 3 files')
  assert.equal(await says(['run', 'repo', '--input', 'repo=other']), 'other has 3 files')
  const editor = path.join(folder, 'editor.sh')
  writeFileSync(editor, '#!/bin/sh\nsed -i s/cordon/edited/ "$1"\n')
  chmodSync(editor, 0o755)
  await cordon.run(['flow', 'edit', 'repo'], { environment: { EDITOR: editor } })
  assert.equal(await says(['run', 'repo']), 'edited has 3 files')
  const unchanged = await cordon.run(['flow', 'edit', 'repo'], { environment: { EDITOR: 'true' } })
  assert.equal(unchanged.stdout, 'Nothing changed.\n')
  const broken = await cordon.run(['flow', 'edit', 'repo'], { environment: { EDITOR: 'false' } })
  assert.deepEqual([broken.code, /did not end well/.test(broken.stderr)], [2, true])
  assert.match(await says(['flow', 'export', 'repo', '--format', 'mermaid']), /^flowchart LR\n/)
  assert.match(await says(['flow', 'export', 'repo', '--format', 'dot']), /^digraph flow \{/)
  const ir = JSON.parse(await says(['flow', 'export', 'repo', '--format', 'json'])) as object
  writeFileSync(path.join(folder, 'copy.json'), JSON.stringify(ir))
  assert.equal(await says(['run', 'copy.json']), 'edited has 3 files')
  writeFileSync(path.join(folder, 'two.flow'), '# a comment\nmcp-github-get-repo\n  --repo lines\n')
  assert.equal(await says(['run', 'two.flow']), 'lines has 3 files')
  assert.equal(await says(['flow', 'remove', 'repo', '--yes']), 'Removed repo.')
  assert.equal((await cordon.run(['flow', 'show', 'repo'])).code, 2)
})

test('check says what is wrong, what is needed, what is asked; and runs nothing', async () => {
  const runs = await cordon.says(['flow', 'runs'])
  const sound = await cordon.says(['flow', 'check', `mcp-slack-send-message --channel dev`])
  assert.match(sound, /needs {2}message {2}string/)
  assert.match(sound, /mcp-slack-send-message: slack\.send_message \(destructive\) asks you/)
  assert.match(sound, /It can run\.$/)
  const dry = await cordon.run(['run', 'mcp-github-get-repo --repo x', '--dry-run'])
  assert.match(dry.stdout, /github\.get_repo \(remote-read\) runs/)
  const cycle = {
    ir_version: '1.0.0',
    nodes: ['a', 'b'].map((id) => ({ id, type: 'mcp-github-get-repo', params: { repo: 'x' } })),
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ],
  }
  writeFileSync(path.join(cordon.folder, 'cycle.json'), JSON.stringify(cycle))
  const unsound = await cordon.run(['flow', 'check', 'cycle.json'])
  assert.equal(unsound.code, 2)
  assert.match(unsound.stdout, /^error: edges\[1\]/m)
  assert.equal(await cordon.says(['flow', 'runs']), runs)
})

test('mistakes are told with their place and what was meant', async () => {
  for (const [flow, said] of [
    [
      'mcp-github-get-rpo --repo x',
      /Cannot find node "mcp-github-get-rpo" \(line 1, column 1\)\n.*\n +\^\n.*hint: Write mcp-github-get-repo/,
    ],
    ['mcp-github-get-repo --rpo x', /Cannot find --rpo .*column 21\)/],
    ['mcp-github-get-repo --repo x >>', /Cannot find a node after this \(line 1, column 30\)/],
    ['mcp-github-search-code --query x --max-results many', /column \d+\)\n.*\n +\^/],
    ['mcp-github-get-repo', /MISSING_INPUT repo \(string\)/],
  ] as const) {
    const { code, stdout, stderr } = await cordon.run(['run', flow])
    assert.deepEqual([code, stdout], [2, ''], flow)
    assert.match(stderr, said)
  }
  const typo = await cordon.run(['mcp-github-get-rpo'])
  assert.equal(typo.code, 2)
  assert.match(typo.stderr, /unknown command 'mcp-github-get-rpo'\n[^]*mcp-github-get-repo/)
})

test('runs are listed and shown step by step', async () => {
  await cordon.ask(['mcp', 'disable', 'github'])
  const down = await cordon.run(['mcp-github-get-repo', '--repo', 'x'])
  assert.notEqual(down.code, 0)
  await cordon.ask(['mcp', 'enable', 'github'])
  const { id } = await cordon.ask<Output<'flows.show'>>(['run', TODOS])
  const { runs } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs', '--state', 'completed'])
  assert.equal(runs[0]?.id, id)
  const trace = await cordon.says(['flow', 'show', id])
  assert.match(trace, /^state +completed$/m)
  assert.match(trace, /mcp-github-search-code: done, github\.search_code, \d+ ms/)
  assert.match(trace, /< query +user, internal +from input query +TODO/)
  assert.match(trace, /> result +external, \w+ +from mcp-github-search-code/)
})

test('Ctrl-C cancels the run and says so; a run of which nobody is asked can be cancelled too', async () => {
  const sent = await cordon.says(['mcp-slack-history'])
  const send = 'mcp-slack-send-message --channel dev --message hi'
  const child = cordon.start(['run', send, '--wait'], { cwd: cordon.folder })
  child.stdin?.end()
  const ended = finish(child)
  await seen(child.stderr, /cordon approvals show/)
  child.kill('SIGINT')
  const { code, stderr } = await ended
  assert.equal(code, 3)
  assert.match(stderr, /cancelling run .*\n.*run [0-9a-f-]{36} is cancelled/)
  const { runs } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs'])
  assert.equal(runs[0]?.state, 'cancelled')
  assert.deepEqual(
    (await cordon.ask<Output<'approvals.list'>>(['approvals', 'list'])).approvals,
    [],
  )
  assert.equal(await cordon.says(['mcp-slack-history']), sent)
})

test('a run that failed goes on where it stopped, once its owner says so', async () => {
  const failed = await cordon.run(['run', 'read-file --path late.txt >> write-file --path b.txt'])
  assert.equal(failed.code, 5)
  const [, id = ''] = /flow show ([0-9a-f-]{36})/.exec(failed.stderr) ?? []
  writeFileSync(path.join(cordon.folder, 'late.txt'), 'better late')
  assert.equal(await cordon.says(['flow', 'resume', id, '--retry']), 'b.txt')
  assert.equal(readFileSync(path.join(cordon.folder, 'b.txt'), 'utf8'), 'better late')
})

test('a run that waits for its owner survives kill -9 of the kernel, and sends once', async () => {
  await using cordon = await openFlowCordon()
  const { pid } = await cordon.ask<KernelStatus>(['status'])
  const send = 'mcp-slack-send-message --channel dev --message hi'
  const child = cordon.start(['run', send, '--wait'], { cwd: cordon.folder })
  child.stdin?.end()
  const ended = finish(child)
  await seen(child.stderr, /cordon approvals show \w+/)
  process.kill(pid, 'SIGKILL')
  assert.equal((await ended).code, 5)
  const { runs } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs'])
  const { id = '' } = runs[0] ?? {}
  const resumed = cordon.start(['flow', 'resume', id, '--wait'], { cwd: cordon.folder })
  resumed.stdin?.end()
  const done = finish(resumed)
  await approveDuring(cordon, done)
  const { code, stdout, stderr } = await done
  assert.deepEqual([code, stdout], [0, 'sent to dev\n'], stderr)
})

test('a schedule within a template goes to the owner unless a sink is named, and is listed', async () => {
  await cordon.says(['flow', 'save', 'todos', TODOS, '--replace'])
  const at = ['flow', 'schedule', 'todos', '--cron', '* * * * *']
  const withoutSink = await cordon.says([...at, '--template', 'nightly'])
  assert.match(withoutSink, /as nightly +to sink:owner/)
  const unknown = await cordon.run([...at, '--template', 'x', '--sink', 'sink:owner'])
  assert.deepEqual([unknown.code, /\[templates\.x\]/.test(unknown.stderr)], [2, true])
  const made = await cordon.says([...at, '--template', 'nightly', '--sink', 'sink:owner'])
  assert.match(made, /^todos +every minute \(UTC\) +as nightly +to sink:owner +next 20/)
  assert.match(await cordon.says(['flow', 'schedules']), /^todos .* next 20/)
  await cordon.says(['flow', 'unschedule', 'todos'])
})

test('a scheduled flow runs in nobody’s presence', onlyInFull, async () => {
  await cordon.says(['flow', 'save', 'todos', TODOS, '--replace'])
  const at = ['flow', 'schedule', 'todos', '--cron', '* * * * *']
  await cordon.says([...at, '--template', 'nightly', '--sink', 'sink:owner'])
  const api = await apiOf(cordon)
  const ofSchedule = async () => {
    const { runs } = await api.call('flows.runs', { state: 'completed' })
    return runs.filter(({ principal }) => principal === 'principal:cron:todos')
  }
  await until(async () => (await ofSchedule()).length > 0)
  await cordon.says(['flow', 'unschedule', 'todos'])
})

test('a schedule can be removed', async () => {
  await cordon.says(['flow', 'save', 'todos', TODOS, '--replace'])
  const at = ['flow', 'schedule', 'todos', '--cron', '0 9 * * 1-5', '--timezone', 'Europe/Lisbon']
  await cordon.says([...at, '--template', 'nightly', '--sink', 'sink:owner'])
  assert.equal(
    await cordon.says(['flow', 'unschedule', 'todos']),
    'todos no longer runs by itself.',
  )
  assert.equal(await cordon.says(['flow', 'schedules']), 'No flow is scheduled.')
})

test('every command about flows has help with an example, and nodes and flags are completed', async () => {
  for (const line of [
    'run',
    ...['save', 'list', 'show', 'run', 'check', 'edit', 'schedule', 'unschedule', 'schedules'].map(
      (name) => `flow ${name}`,
    ),
    ...['runs', 'cancel', 'resume', 'remove', 'export'].map((name) => `flow ${name}`),
    ...['list', 'describe', 'export', 'search', 'validate', 'refresh', 'migrate-mcp'].map(
      (name) => `registry ${name}`,
    ),
    'registry test-mcp-connections',
  ]) {
    const { code, stdout } = await cordon.run([...line.split(' '), '--help'])
    assert.equal(code, 0, line)
    assert.match(stdout, /\nExample:\n {2}\$ /, line)
  }
  const complete = async (...words: string[]) => await cordon.says(['complete', '--', ...words])
  assert.match(await complete('mcp-gi'), /^mcp-github-search-code\b/m)
  assert.match(await complete('ru'), /^run\b/m)
  assert.match(await complete('mcp-github-search-code', '--m'), /^--max-results\b/m)
  assert.match(
    await complete('mcp-github-get-repo', '--repo', 'x', 'then', 'mcp-sl'),
    /^mcp-slack-/m,
  )
  assert.match(await complete('run', 'mcp-sl'), /^mcp-slack-send-message\b/m)
  assert.match(await complete('vault', ''), /^set\b/m)
})

test('a flow reads and writes files in its folder, and none outside', async () => {
  writeFileSync(path.join(cordon.folder, 'in.txt'), 'words')
  await cordon.says(['run', 'read-file --path in.txt >> write-file --path out.txt', '--yes'])
  assert.equal(readFileSync(path.join(cordon.folder, 'out.txt'), 'utf8'), 'words')
  const outside = await cordon.run(['run', 'read-file --path ../home/config.toml'])
  assert.notEqual(outside.code, 0)
  assert.equal(outside.stdout, '')
})
