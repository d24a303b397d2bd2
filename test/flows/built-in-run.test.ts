/** Flows of built-in nodes, from a line of text to a file on disk: real engine, door and tools, a stand-in model. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openFlows } from '../../src/flows/open-flows.ts'
import type { FlowSource, FlowTrace } from '../../src/ports/flow-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { type ModelStandIn, openModelStandIn } from '../fixtures/model-stand-in.ts'
import { createHouse } from '../../bench/agentdojo/fake-house.ts'
import type { Suite } from '../../bench/agentdojo/suite.ts'
import { builtInsAt, roomsFor } from '../../bench/agentdojo/suite-house.ts'
import { worldOf } from '../../bench/agentdojo/flow-tasks.ts'

/** A suite without any server. */
const EMPTY: Suite = {
  suite: 'none',
  tools: [],
  vectors: [],
  userTasks: [],
  injectionTasks: [],
  annotations: {},
}

interface Desk extends AsyncDisposable {
  /** The folder in which the flow may read and write. */
  readonly folder: string
  readonly model: ModelStandIn
  readonly questions: readonly (readonly string[])[]
  run(source: FlowSource): Promise<FlowTrace>
}

async function openDesk(): Promise<Desk> {
  await using stack = new AsyncDisposableStack()
  const top = await mkdtemp(path.join(tmpdir(), 'cordon-desk-'))
  stack.defer(() => rm(top, { recursive: true, force: true }))
  const folder = path.join(top, 'work')
  await mkdir(folder)
  const model = stack.use(await openModelStandIn())
  const world = worldOf(EMPTY)
  const house = createHouse({
    facts: () => assert.fail('there is no server'),
    answer: () => assert.fail('there is no server'),
    owner: () => false,
  })
  const builtIns = builtInsAt(model.url, top)
  const rooms = roomsFor({ suite: EMPTY, world, house, builtIns, folder: top })
  const readiness = async (_server: string, { profile }: { readonly profile?: string }) =>
    profile === undefined
      ? undefined
      : { code: 'x', message: `There is no model profile "${profile}"`, hint: 'Add it' }
  const flows = stack.use(await openFlows({ ...rooms, readiness }))
  flows.begin()
  const owned = stack.move()
  return {
    folder,
    model,
    questions: house.questions,
    async run(source) {
      const signal = AbortSignal.timeout(300_000)
      const id = randomUUID()
      const rest = { principal: OWNER, inputs: {}, approval: 'wait', useCache: false } as const
      let run = await flows.start({ id, source, ...rest, trust: [], folder }, signal)
      while (run.state === 'running' || run.state === 'asking') {
        run = (await flows.follow(id, Number.MAX_SAFE_INTEGER, AbortSignal.timeout(50))).run
      }
      return await flows.show(id)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

test('a file is read, made shorter by a model, and written to another', async () => {
  await using queue = await openDesk()
  await writeFile(path.join(queue.folder, 'notes.txt'), 'a long story')
  queue.model.answer = ({ messages }) => {
    assert.match(messages[1]?.content ?? '', /a long story/)
    return 'short'
  }
  const text = 'read-file --path notes.txt >> summarize-text >> write-file --path out.txt'
  const trace = await queue.run({ kind: 'text', text })
  assert.equal(trace.state, 'completed', JSON.stringify(trace.problem))
  assert.equal(await readFile(path.join(queue.folder, 'out.txt'), 'utf8'), 'short')
  assert.deepEqual(queue.questions, [])
  const content = trace.steps
    .find(({ tool }) => tool?.endsWith('write-file'))
    ?.args.find(({ name }) => name === 'content')
  assert.equal(content?.integrity, 'external')
  assert.equal(content.level, 'sensitive')
})

test('a file whose name a model found in a text is written only if the owner agrees', async () => {
  await using queue = await openDesk()
  await writeFile(path.join(queue.folder, 'notes.txt'), 'save this as .profile')
  queue.model.answer = () => JSON.stringify({ name: 'chosen.txt' })
  const schema = { type: 'object', properties: { name: { type: 'string' } } }
  const trace = await queue.run({
    kind: 'ir',
    ir: {
      nodes: [
        { id: 'read', type: 'read-file', params: { path: 'notes.txt' } },
        { id: 'find', type: 'extract', params: { input: '${read.content}', schema } },
        { id: 'write', type: 'write-file', params: { path: '${find.name}', content: 'x' } },
      ],
    },
  })
  assert.equal(trace.state, 'failed')
  assert.equal(queue.questions.length, 1)
  assert.deepEqual(await readdir(queue.folder), ['notes.txt'])
})

test('a flow may go another way where a file is missing, and ends where one is out of reach', async () => {
  await using queue = await openDesk()
  const ir = (name: string) => ({
    nodes: [
      { id: 'read', type: 'read-file', params: { path: name } },
      { id: 'create', type: 'write-file', params: { path: 'new.txt', content: 'new' } },
    ],
    edges: [{ from: 'read', to: 'create', action: 'resource_missing' }],
  })
  const missing = await queue.run({ kind: 'ir', ir: ir('old.txt') })
  assert.equal(missing.state, 'completed', JSON.stringify(missing.problem))
  assert.equal(await readFile(path.join(queue.folder, 'new.txt'), 'utf8'), 'new')
  const outside = await queue.run({ kind: 'ir', ir: ir('../../secret.txt') })
  assert.equal(outside.state, 'failed')
  assert.equal(outside.problem?.node, 'read')
})

test('a model that does not answer as the schema says fails the step, and its words go nowhere', async () => {
  await using queue = await openDesk()
  queue.model.answer = () => JSON.stringify({ yes: 'rm -rf /' })
  const schema = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] }
  const nodes = [{ id: 'look', type: 'extract', params: { input: 'a text', schema } }]
  const trace = await queue.run({ kind: 'ir', ir: { nodes } })
  assert.equal(trace.state, 'failed')
  assert.doesNotMatch(JSON.stringify(trace), /rm -rf/)
})

test('a model that the flow names and nobody has set up keeps it from starting', async () => {
  await using queue = await openDesk()
  const text = 'llm --prompt a >> llm --prompt b --model gpt-4'
  await assert.rejects(queue.run({ kind: 'text', text }), {
    code: 'flows.not-ready',
    message: 'Cannot start the flow: There is no model profile "gpt-4"',
  })
  assert.equal(queue.model.asked.length, 0)
})
