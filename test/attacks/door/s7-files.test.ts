/**
 * Flows over files and servers, with the real engine and door: a file is copied byte for byte, a file that would run is
 * asked about, and a run says what it disarmed. In the controls the built-in tool is judged as one of a server.
 */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openBuiltIns } from '../../../src/flows/built-in/open-built-ins.ts'
import type { BuiltInTools } from '../../../src/kernel/built-in-tools.ts'
import type { FlowTrace } from '../../../src/ports/flow-port.ts'
import type { ToolFacts } from '../../../src/kernel/tool-facts.ts'
import type { Json } from '../../../src/text/json.ts'
import { createHouse } from '../../../bench/agentdojo/fake-house.ts'
import { worldOf } from '../../../bench/agentdojo/flow-tasks.ts'
import { roomsFor } from '../../../bench/agentdojo/suite-house.ts'
import { openFlows } from '../../../src/flows/open-flows.ts'
import {
  never,
  openEngineHouse,
  startOf,
  type TestTool,
  untilOver,
} from '../../flows/engine-house.ts'

const A_JSON = JSON.stringify({
  url: 'https://evil.com/x?d=1',
  mail: 'ana@friends.example',
  iban: 'GB29 NWBK 6016 1331 9268 19',
  phone: '+44 20 7946 0958',
  card: '4111 1111 1111 1111',
  html: '<img src="//203.0.113.5/p">',
  odd: '\u200b\ufeff evil。com &period; 。',
})

const COPY = {
  nodes: [
    { id: 'read', type: 'read-file', params: { path: 'a.json' } },
    { id: 'write', type: 'write-file', params: { path: 'b.json', content: '${read.content}' } },
  ],
}

interface FileRun {
  readonly trace: FlowTrace
  readonly questions: number
  readonly written: (name: string) => Promise<string | undefined>
}

/** `judge` changes the facts of the built-in tools. */
async function runOverFiles(
  t: { after(work: () => Promise<void>): void },
  ir: Json,
  judge: (facts: ToolFacts) => ToolFacts = (facts) => facts,
): Promise<FileRun> {
  const top = await mkdtemp(path.join(tmpdir(), 'cordon-content-'))
  t.after(() => rm(top, { recursive: true, force: true }))
  const folder = path.join(top, 'work')
  await mkdir(path.join(folder, '.github', 'workflows'), { recursive: true })
  await writeFile(path.join(folder, 'a.json'), A_JSON)
  const ask = () => assert.fail('no model is asked')
  const models = { clearance: 'regulated', isLocal: true, pin: 'none', ask } as const
  const real = openBuiltIns({ pinPath, models, home: path.join(top, 'home'), userHome: top })
  const builtIns: BuiltInTools = {
    ...real,
    know(tool) {
      const facts = real.know(tool)
      return facts && judge(facts)
    },
  }
  const empty = { suite: 'none', tools: [], vectors: [], userTasks: [], injectionTasks: [] }
  const suite = { ...empty, annotations: {} }
  const house = createHouse({
    facts: () => assert.fail('there is no server'),
    answer: () => assert.fail('there is no server'),
    owner: () => false,
  })
  const rooms = roomsFor({ suite, world: worldOf(suite), house, builtIns, folder: top })
  await using flows = await openFlows(rooms)
  flows.begin()
  await flows.start(startOf('run', ir, { folder }), never)
  await untilOver(flows, 'run')
  return {
    trace: await flows.show('run'),
    questions: house.questions.length,
    written: async (name) => await readFile(path.join(folder, name), 'utf8').catch(() => undefined),
  }
}

test('S7: read-file a.json >> write-file b.json copies every byte', async (t) => {
  const { trace, written, questions } = await runOverFiles(t, COPY)
  assert.equal(trace.state, 'completed', JSON.stringify(trace.problem))
  assert.equal(await written('b.json'), A_JSON)
  assert.equal(questions, 0)
  assert.ok(trace.steps.every(({ disarmed }) => disarmed === undefined))
  const control = await runOverFiles(t, COPY, (facts) => ({
    ...facts,
    isLocal: false,
    roles: new Map([...facts.roles, ['recipient', 'target']]),
  }))
  const lost = (await control.written('b.json')) ?? ''
  assert.match(lost, /number left out/, 'without the rule the copy loses the numbers')
})

const workflow = (path: string): Json => ({
  nodes: [
    COPY.nodes[0] ?? null,
    { ...COPY.nodes[1], params: { path, content: '${read.content}' } },
  ],
})

test('S7: somebody else’s text in a file that runs is asked about', async (t) => {
  for (const place of ['.github/workflows/ci.yml', 'Makefile', 'package.json']) {
    const { questions, written } = await runOverFiles(t, workflow(place))
    assert.equal(questions, 1, place)
    assert.equal(await written(place), undefined)
    const control = await runOverFiles(t, workflow(place), (facts) => ({
      ...facts,
      formats: new Map(),
    }))
    assert.equal(control.questions, 0)
    assert.equal(await control.written(place), A_JSON)
  }
})

const TOOLS: readonly TestTool[] = [
  {
    name: 'page',
    effect: 'remote-read',
    run: () => ({ text: 'see https://evil.com/x, evil.org' }),
  },
  {
    name: 'post',
    effect: 'write',
    args: { channel: 'target', text: 'content' },
    run: () => ({ ok: true }),
  },
]

test('S7: a run says what it disarmed, in its trace and while it runs', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-content-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const sent: Json[] = []
  const atDoor = ({ args, disarmed }: { args: object; disarmed?: readonly object[] }): void => {
    if (disarmed) sent.push({ ...args }, ...(disarmed as Json[]))
  }
  await using house = await openEngineHouse({ folder, tools: TOOLS, atDoor })
  const nodes = [
    { id: 'page', type: 'box.page' },
    { id: 'post', type: 'box.post', params: { channel: 'C1', text: 'FYI: ${page.text}' } },
  ]
  await house.flows.start(startOf('run', { nodes }), never)
  const run = await untilOver(house.flows, 'run')
  assert.equal(run.state, 'completed', JSON.stringify(run.problem))
  const { steps } = await house.flows.show('run')
  const said = '2 links disarmed in "text"'
  assert.deepEqual(
    steps.map(({ disarmed }) => disarmed),
    [undefined, said],
  )
  const { events } = await house.flows.follow('run', 0, AbortSignal.timeout(1000))
  assert.ok(
    events.some(({ text }) => text.includes(`done, ${said}`)),
    JSON.stringify(events),
  )
  assert.deepEqual(sent, [
    { channel: 'C1', text: 'FYI: see hxxps://evil[.]com/x, evil[.]org' },
    { arg: 'text', links: 2, numbers: 0 },
  ])
})
