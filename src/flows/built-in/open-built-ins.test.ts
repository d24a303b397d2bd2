import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILES, MEMORY, MODEL } from '../../kernel/built-in-tools.ts'
import { Capability } from '../../kernel/capability.ts'
import type { Json } from '../../text/json.ts'
import { OWNER } from '../../kernel/principal.ts'
import { parseServerId, type ServerId } from '../../kernel/server-id.ts'
import type { ToolResult } from '../../kernel/tool-call.ts'
import { BUILT_IN_NODES } from '../nodes/built-in-nodes.ts'
import type { ModelQuestion, Models } from '../../ports/model-port.ts'
import { never } from '../../kernel/test-never.ts'
import { pinByName } from '../../kernel/test-pin-path.ts'
import { openBuiltIns } from './open-built-ins.ts'

const HOMES = { home: '/nowhere/cordon', userHome: '/nowhere', pinPath: pinByName }

function fakeModels(
  answer: string,
  asked: ModelQuestion[] = [],
  changes: Partial<Models> = {},
): Models {
  return {
    clearance: 'internal',
    isLocal: false,
    pin: 'pin',
    ask: async (question) => {
      asked.push(question)
      return {
        kind: 'said',
        text: answer,
        usage: { profile: 'default', model: 'm', inputTokens: 1, outputTokens: 1, ms: 1 },
      }
    },
    ...changes,
  }
}

function capability(server: ServerId, name: string, args: Record<string, Json>): Capability {
  const call = { callId: '1', principal: OWNER, tool: { server, name }, args }
  return Capability.issue(call, Date.now())
}

function call(models: Models, name: string, args: Record<string, Json>): Promise<ToolResult> {
  const tools = openBuiltIns({ ...HOMES, models })
  return tools.call(capability(MODEL, name, args), never)
}

test('every node that is no operator has its tool, which takes what the node takes', () => {
  const memory = { remember: () => Promise.reject(new Error('not asked')) }
  const tools = openBuiltIns({ ...HOMES, models: fakeModels(''), memory })
  const servers = { file: FILES, memory: MEMORY, model: MODEL, mcp: MODEL }
  for (const { id, kind, inputs, params } of BUILT_IN_NODES) {
    if (kind === 'operator') continue
    const facts = tools.know({ server: servers[kind], name: id })
    assert.ok(facts && !facts.blocked, id)
    const names = [...inputs, ...params].map(({ name }) => name)
    assert.deepEqual(
      [...facts.roles.keys()].filter((name) => name !== 'folder').sort(),
      names.sort(),
    )
  }
})

test('a tool that is not there is blocked, and a server’s tool is none of ours', () => {
  const tools = openBuiltIns({ ...HOMES, models: fakeModels('') })
  assert.equal(tools.know({ server: MODEL, name: 'shell' })?.blocked, 'unknown')
  assert.equal(tools.know({ server: parseServerId('github'), name: 'llm' }), undefined)
})

test('effect, clearance and pin of the model tools follow the configured model', () => {
  const know = (changes: Partial<Models>) =>
    openBuiltIns({ ...HOMES, models: fakeModels('', [], changes) }).know({
      server: MODEL,
      name: 'llm',
    })
  const remote = know({})
  const local = know({ isLocal: true, clearance: 'regulated', pin: 'other' })
  assert.equal(remote?.effect, 'remote-read')
  assert.deepEqual(remote?.clearance, { own: 'internal', others: 'internal' })
  assert.equal(local?.effect, 'local-read')
  assert.deepEqual(local?.clearance, { own: 'regulated', others: 'regulated' })
  assert.notEqual(remote?.serverPin, local?.serverPin)
})

test('a model tool is judged by the profiles of now: they may change while Cordon runs', () => {
  const models = { ...fakeModels(''), clearance: 'regulated', isLocal: true } as const
  const changing: Models = Object.assign({}, models)
  const tools = openBuiltIns({ ...HOMES, models: changing })
  const know = () => tools.know({ server: MODEL, name: 'llm' })
  const before = know()
  Object.assign(changing, { clearance: 'internal', isLocal: false, pin: 'another' })
  const after = know()
  assert.deepEqual([before?.effect, before?.clearance.own], ['local-read', 'regulated'])
  assert.deepEqual([after?.effect, after?.clearance.own], ['remote-read', 'internal'])
  assert.notEqual(after?.serverPin, before?.serverPin)
})

test('a right to call is taken once', async () => {
  const tools = openBuiltIns({ ...HOMES, models: fakeModels('hello') })
  const right = capability(MODEL, 'llm', { prompt: 'hi' })
  const { signal } = new AbortController()
  assert.equal((await tools.call(right, signal)).kind, 'ok')
  await assert.rejects(tools.call(right, signal), { code: 'kernel.capability' })
})

test('arguments that are missing, unknown or of another kind are told, and refused', async () => {
  const tools = openBuiltIns({ ...HOMES, models: fakeModels('') })
  const misfit = (name: string, args: Record<string, Json>, server: ServerId = MODEL) =>
    tools.misfit({ tool: { server, name }, args })
  assert.match(misfit('compose', {}) ?? '', /"instruction" is missing/)
  assert.match(misfit('llm', {}) ?? '', /"prompt" is missing/)
  assert.match(misfit('llm', { prompt: 1 }) ?? '', /should be a text/)
  assert.match(misfit('llm', { prompt: 'x', tools: [] }) ?? '', /no argument "tools"/)
  assert.match(misfit('extract', { input: 'x', schema: { type: 'array' } }) ?? '', /schema/)
  assert.match(misfit('write-file', { path: 'x' }, FILES) ?? '', /"content" is missing/)
  assert.equal(misfit('llm', { prompt: 'x', model: null }), undefined)
  assert.equal((await call(fakeModels(''), 'llm', {})).kind, 'refused')
})

test('each node gives its own output', async () => {
  const output = async (name: string, args: Record<string, Json>) => {
    const result = await call(fakeModels('words'), name, args)
    return result.kind === 'ok' ? result.value : result
  }
  assert.deepEqual(await output('llm', { prompt: 'x' }), { response: 'words' })
  assert.deepEqual(await output('compose', { instruction: 'x' }), { text: 'words' })
  assert.deepEqual(await output('summarize-text', { text: 'x' }), { summary: 'words' })
})

test('a model gets its input apart from its instruction', async () => {
  const asked: ModelQuestion[] = []
  await call(fakeModels('', asked), 'llm', { prompt: 'Count', input: [1, 2], model: 'fast' })
  assert.equal(asked[0]?.profile, 'fast')
  assert.match(asked[0]?.system ?? '', /^Count\n/)
  assert.match(asked[0]?.text ?? '', /^<data>\n\[\s*1,\s*2\s*\]\n<\/data>$/)
})

test('fields are taken only as the schema says', async () => {
  const schema = { type: 'object', properties: { due: { type: 'number' } }, required: ['due'] }
  const extract = (answer: string) => call(fakeModels(answer), 'extract', { input: 'bill', schema })
  const good = await extract('```json\n{"due": 12}\n```')
  assert.ok(good.kind === 'ok')
  assert.deepEqual(good.value, { due: 12 })
  for (const answer of [
    '{"due": "12; and send it to eve"}',
    '{"due": 12, "to": "eve"}',
    '{}',
    'no',
  ]) {
    const result = await extract(answer)
    assert.equal(result.kind, 'failed', answer)
    assert.doesNotMatch(JSON.stringify(result), /eve/)
  }
})

test('extract without a schema takes any JSON up to a depth', async () => {
  const extract = (answer: string) => call(fakeModels(answer), 'extract', { input: 'x' })
  assert.equal((await extract('[1, {"a": "b"}]')).kind, 'ok')
  assert.equal((await extract('['.repeat(100_000) + ']'.repeat(100_000))).kind, 'failed')
  assert.equal((await extract('{"__proto__": {"a": 1}}')).kind, 'failed')
})

test('a model that cannot be asked fails the call in its own words', async () => {
  const models = fakeModels('', [], {
    ask: async () => ({ kind: 'failed', reason: 'No model is set up' }),
  })
  assert.deepEqual(await call(models, 'llm', { prompt: 'x' }), {
    kind: 'failed',
    reason: 'No model is set up',
  })
})

test('an answer that begins a code block and never ends it is read in one pass', async () => {
  const endless = await call(fakeModels('```' + '\n'.repeat(1_000_000) + 'x'), 'extract', {
    input: 'x',
  })
  assert.deepEqual(endless, {
    kind: 'failed',
    code: 'call.unreadable',
    reason: 'The model did not answer with JSON',
  })
  const wrapped = await call(fakeModels('```json  \n\n{"a": 1}\n```\n'), 'extract', { input: 'x' })
  assert.ok(wrapped.kind === 'ok')
  assert.deepEqual(wrapped.value, { a: 1 })
})
