import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../text/json.ts'
import { parseFlow } from './parse-flow.ts'
import { printFlow } from './print-flow.ts'
import { readFlow } from './test-nodes.ts'

function nodesIn(text: string): readonly JsonObject[] {
  return readFlow(text).ir['nodes'] as readonly JsonObject[]
}

function problemIn(text: string): string {
  const read = parseFlow(text)
  assert.equal(read.kind, 'problem', text)
  return read.kind === 'problem' ? `${read.problem.code}: ${read.problem.hint}` : ''
}

test('a step says for which items, when and how often it is tried, before or after its flags', () => {
  const expected = {
    id: 'llm',
    type: 'llm',
    params: { prompt: 'Greet ${who}' },
    forEach: { as: 'who', items: ['Ann', 'Bo'], max: 5, parallel: true, max_concurrent: 2 },
    when: { left: '${n}', op: 'gt', right: 40 },
    execution: { max_retries: 3, wait: 5 },
  }
  const clauses = `for who in '["Ann","Bo"]' max 5 parallel 2 when \${n} > 40 retry 3 wait 5`
  for (const text of [
    `llm ${clauses} --prompt "Greet \${who}"`,
    `llm --prompt "Greet \${who}" ${clauses}`,
    `llm --prompt "Greet \${who}"\n  for who in '["Ann","Bo"]' max 5 parallel 2\n  when \${n} gt 40\n  retry 3 wait 5`,
  ]) {
    assert.deepEqual(nodesIn(text), [expected], text)
  }
})

test('a condition compares with a number, a text or nothing', () => {
  const when = (text: string) => nodesIn(`llm --prompt x when ${text}`)[0]?.['when']
  assert.deepEqual(when('${a}'), { left: '${a}' })
  assert.deepEqual(when('${a} = "41"'), { left: '${a}', op: 'eq', right: '41' })
  assert.deepEqual(when('${a} != 41'), { left: '${a}', op: 'ne', right: 41 })
  assert.deepEqual(when('${a} < 41'), { left: '${a}', op: 'lt', right: 41 })
  assert.deepEqual(when('${a} contains TODO'), { left: '${a}', op: 'contains', right: 'TODO' })
  assert.deepEqual(when('${a} starts-with x'), { left: '${a}', op: 'starts_with', right: 'x' })
  assert.deepEqual(when('${a} exists'), { left: '${a}', op: 'exists', right: true })
  assert.deepEqual(when(`\${a} in '["x"]'`), { left: '${a}', op: 'in', right: ['x'] })
})

test('items that fail can be left out, and an edge by class is taken after a clause', () => {
  const { ir } = readFlow(
    'llm --prompt ${x} for x in ${list} continue - "timeout" max 2 >> summarize',
  )
  const [node] = ir['nodes'] as readonly JsonObject[]
  assert.deepEqual(node?.['forEach'], { as: 'x', items: '${list}', error_handling: 'continue' })
  assert.deepEqual(ir['edges'], [{ from: 'llm', to: 'summarize-text', action: 'timeout', max: 2 }])
})

test('a flow declares its inputs, and steps take them by name', () => {
  const { ir, missing } = readFlow(
    'input query --description "What to look for"\ninput n --type integer --default 5\nmcp-github-search-code --max-results ${n}',
  )
  assert.deepEqual(ir['inputs'], {
    query: { type: 'any', required: true, description: 'What to look for' },
    n: { type: 'integer', default: 5 },
  })
  assert.deepEqual(ir['mappings'], {})
  assert.deepEqual(missing, [])
})

test('a value that is typed at a step never takes the place of a declared input', () => {
  const { ir } = readFlow('input query\nmcp-github-search-code --query x >> llm --prompt ${query}')
  assert.deepEqual(Object.keys(ir['inputs'] as object), ['query', 'mcp-github-search-code-query'])
})

test('a name that is only referred to becomes an input; one that is a slip does not', () => {
  const inputs = (text: string) => readFlow(text).ir['inputs']
  assert.deepEqual(inputs('llm --prompt ${question}'), {
    question: { type: 'string', required: true },
  })
  assert.deepEqual(inputs('llm --prompt "About ${question}"'), {
    question: { type: 'any', required: true },
  })
  assert.deepEqual(inputs('mcp-github-search-code --query x >> llm --prompt ${serch_results}'), {
    query: { type: 'string', default: 'x' },
  })
  assert.deepEqual(inputs('llm --prompt ${stdin}'), {})
})

test('a mistake is answered with the way to write it', () => {
  assert.match(problemIn('a for x of ${y}'), /^flows.bad-clause: Write `for NAME in /)
  assert.match(problemIn('a for x in nothing'), /^flows.bad-clause: .*a JSON list/)
  assert.match(problemIn('a when'), /^flows.bad-clause: Write `when /)
  assert.match(problemIn('a retry many'), /^flows.bad-clause: Write `retry 3`/)
  assert.match(problemIn('a retry 1 retry 2'), /^flows.bad-clause: Write it once/)
  assert.match(problemIn('input x --colour red\na'), /^flows.bad-input: Write `input NAME`/)
  assert.match(problemIn('input x --type integer --default y\na'), /^flows.bad-input/)
  assert.match(problemIn('input stdin\na'), /^flows.bad-input/)
  assert.match(problemIn('a --k > b'), /^flows.shell-sign/)
})

test('inputs are printed as they are read', () => {
  const text = 'input n --type=integer --default=5 --description="How many" --stdin\na --k=${n}'
  const read = parseFlow(text)
  assert.ok(read.kind === 'flow')
  assert.equal(printFlow(read.flow), text)
})
