import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closestNames } from '../../text/closest-names.ts'
import { grammarError } from './problem.ts'
import { describeOnly, NODES, problemsIn, readFlow } from './test-nodes.ts'

test('toIr() finds every unknown node and flag at once, each with the nearest name', () => {
  const text =
    'mcp-github-serch-code --q x\n>> llm --promt y --temperature warm --model a --model b --prompt >> nobody'
  const found = problemsIn(text, {
    suggestNodes: (typed) => closestNames(typed, Object.keys(NODES)),
    suggestFlags: closestNames,
  })
  assert.deepEqual(
    found.map(({ code, line, column }) => [code, line, column]),
    [
      ['flows.unknown-node', 1, 1],
      ['flows.unknown-flag', 2, 8],
      ['flows.bad-value', 2, 32],
      ['flows.bad-value', 2, 47],
      ['flows.bad-value', 2, 57],
      ['flows.unknown-node', 2, 69],
    ],
  )
  assert.match(found[0]?.hint ?? '', /^Write mcp-github-search-code, or run `cordon registry list`/)
  assert.match(found[1]?.hint ?? '', /^Write --prompt, or run `cordon registry describe llm`/)
  assert.match(found[2]?.message ?? '', /expected a number/)
  assert.match(found[3]?.message ?? '', /expected one value only/)
  assert.doesNotMatch(JSON.stringify(found.map(({ message, hint }) => message + hint)), /warm/)
})

test('toIr() refuses one name for two steps, and --no- where nothing can be switched off', () => {
  assert.deepEqual(
    problemsIn('wait as a >> wait as a').map(({ code }) => code),
    ['flows.duplicate-id'],
  )
  assert.deepEqual(
    problemsIn('wait >> llm as wait --prompt x').map(({ code }) => code),
    ['flows.duplicate-id'],
  )
  for (const flag of [
    '--no-query',
    '--no-archived=1',
    '--archived --no-archived',
    '--__proto__=1',
    '--constructor',
  ]) {
    assert.equal(problemsIn(`mcp-github-search-code ${flag}`).length, 1, flag)
  }
})

test('toIr() reads a flag in kebab, snake and camel case', () => {
  for (const flag of ['max-results', 'max_results', 'maxResults']) {
    const { ir } = readFlow(`mcp-github-search-code --query x --${flag} 3`)
    assert.deepEqual((ir['nodes'] as { params: unknown }[])[0]?.params, { max_results: 3 })
  }
})

test('toIr() reads keys that look alike only where they are spelled out, and names of the language as names', () => {
  const shape = { inputs: ['maxResults', 'MAXRESULTS', 'constructor'], params: {}, types: {} }
  const describe = describeOnly({ a: shape })
  assert.equal(problemsIn('a --max-results x', {}, describe).length, 1)
  assert.deepEqual(readFlow('a --maxResults x --constructor y', {}, describe).data, {
    maxResults: 'x',
    constructor: 'y',
  })
})

test('toIr() reports no more problems than anybody reads', () => {
  assert.equal(
    problemsIn(`wait ${'--x '.repeat(500)}>> ${'nobody >> '.repeat(500)}wait`).length,
    20,
  )
  let asked = 0
  const suggestFlags = (): readonly string[] => {
    asked += 1
    return []
  }
  assert.equal(problemsIn('wait --x >> '.repeat(500) + 'wait', { suggestFlags }).length, 20)
  assert.equal(asked, 20)
})

test('grammarError() says the place and shows it', () => {
  const [problem] = problemsIn('wait --secnds 3')
  const error = grammarError(problem!)
  assert.equal(error.exit, 2)
  assert.equal(
    error.message,
    'Cannot find --secnds among the inputs and parameters of "wait" (line 1, column 6)\n  wait --secnds 3\n       ^',
  )
})

test('a command in a hint can be copied, whatever a server calls its tool', () => {
  const shape = { id: 'mcp-evil-say$(id)', inputs: [], params: {}, types: {} }
  const [problem] = problemsIn('say --x 1', {}, describeOnly({ say: shape }))
  assert.match(problem?.hint ?? '', /`cordon registry describe 'mcp-evil-say\$\(id\)'`/)
})
