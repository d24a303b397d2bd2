/** The tasks of the shared suites as flows: each is checked, then run by the engine with the task's recorded calls. */
import { OWN_WORDS } from '../../src/labels/label.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import { type Argument, passesOn } from '../../src/policy/question.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { checkFlow } from '../../src/flows/check/check-flow.ts'
import { isWorthAsking, planBounds } from '../../src/flows/check/plan-bounds.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import { openBuiltIns } from '../../src/flows/built-in/open-built-ins.ts'
import type { Models } from '../../src/ports/model-port.ts'
import { findReferences } from '../../src/flows/language/references.ts'
import type { FlowNode } from '../../src/flows/language/ir.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import { kindsOf } from '../../bench/agentdojo/step-kinds.ts'
import {
  type Args,
  type Kind,
  readSuites,
  SHARED_SUITES,
  sharedSuites,
  type Suite,
} from '../../bench/agentdojo/suite.ts'
import { openSuiteHouse, type ScriptedModel } from '../../bench/agentdojo/suite-house.ts'
import { answersFor } from '../../bench/agentdojo/flow-oracle.ts'
import {
  bookOf,
  type FlowTask,
  flowTasks,
  NOT_EXPRESSIBLE,
  worldOf,
} from '../../bench/agentdojo/flow-tasks.ts'
import { openModelStandIn } from '../fixtures/model-stand-in.ts'
import { decideFor } from './core-decide.ts'

/** The other two suites run in the measurement, with the same engine. */
const suites = readSuites(SHARED_SUITES)
const all = sharedSuites()
const skip = suites.length === 0 ? 'the AgentDojo suites are not beside the project' : false

const model = await openModelStandIn()
after(() => model[Symbol.asyncDispose]())
const scripted: ScriptedModel = {
  url: model.url,
  answerWith: (answer) => (model.answer = answer),
}

const SILENT: Models = {
  clearance: 'regulated',
  isLocal: true,
  pin: 'none',
  ask: () => assert.fail('nothing is asked before a flow runs'),
}

test('every task is a flow, but those whose instructions stand in somebody else’s words', {
  skip,
}, (t) => {
  let written = 0
  let tasks = 0
  for (const suite of all) {
    const ids = new Set(flowTasks(suite).map(({ task }) => task.id))
    for (const { id } of suite.userTasks) {
      const isReplanned = suite.annotations[id]?.class === 'S4'
      assert.equal(ids.has(id), !isReplanned, `${suite.suite} ${id}`)
      assert.equal(NOT_EXPRESSIBLE[suite.suite]?.[id] !== undefined, isReplanned, id)
    }
    written += ids.size
    tasks += suite.userTasks.length
  }
  t.diagnostic(`expressible: ${written} of ${tasks} tasks`)
})

test('no flow has a value in it that has to come from what a tool answered', { skip }, () => {
  for (const suite of suites) {
    const foreign = flowTasks(suite).flatMap((one) => foreignArguments(suite, one))
    assert.ok(foreign.length > 0)
    for (const { where, written } of foreign) {
      assert.ok(written.length > 0, where)
      for (const value of written) assert.ok(findReferences(value, '').length > 0, where)
    }
  }
})

test('every flow is sound, and nothing of it would be refused', { skip }, () => {
  for (const suite of all) {
    const world = worldOf(suite)
    const builtIns = openBuiltIns({
      pinPath,
      models: SILENT,
      home: '/nowhere',
      userHome: '/nowhere',
    })
    const nodeIndex = bookOf(suite, world, builtIns)
    for (const { task, ir } of flowTasks(suite)) {
      const report = checkFlow({ ir, nodeIndex, predict: decideFor, given: new Set() })
      const errors = report.findings.filter(({ severity }) => severity !== 'note')
      assert.deepEqual(errors, [], `${suite.suite} ${task.id}`)
      assert.deepEqual(report.needs, [])
      assert.ok(report.steps.every(({ verdict }) => verdict.kind !== 'deny'))
    }
  }
})

test('with a plan and a limit for amounts, no task asks more than once', { skip }, (t) => {
  const counts = { none: 0, single: 0, plan: 0 }
  for (const suite of suites) {
    const world = worldOf(suite)
    const builtIns = openBuiltIns({
      pinPath,
      models: SILENT,
      home: '/nowhere',
      userHome: '/nowhere',
    })
    const nodeIndex = bookOf(suite, world, builtIns)
    for (const { task, ir } of flowTasks(suite)) {
      const report = checkFlow({ ir, nodeIndex, predict: decideFor, given: new Set() })
      const known = { ir, report, integrity: 'user', principal: OWNER, inputs: {} } as const
      const bounds = planBounds({ ...known, flow: task.id, mostAmount: 10_000 })
      const isPlan = isWorthAsking(bounds)
      // Calls that are all known before the run are asked about in one question as they are.
      const questions = (isPlan ? 1 : Math.min(1, bounds.steps.length)) + bounds.open.length
      assert.ok(questions <= 1, `${suite.suite} ${task.id}: ${JSON.stringify(bounds.open)}`)
      counts[questions === 0 ? 'none' : isPlan ? 'plan' : 'single'] += 1
    }
  }
  t.diagnostic(`tasks without a question: ${counts.none}`)
  t.diagnostic(`with a single one: ${counts.single}, with a plan: ${counts.plan}`)
})

test('the answers of the model follow from the recorded calls of each task', { skip }, () => {
  for (const suite of all) {
    for (const { task, ir } of flowTasks(suite)) {
      const answers = answersFor(ir, suite.suite, task.steps)
      for (const { id } of ir.nodes.filter(({ type }) => type === 'extract')) {
        assert.notDeepEqual(answers.get(id), {}, `${suite.suite} ${task.id}: nothing uses ${id}`)
      }
    }
  }
})

test('the engine makes exactly the recorded calls of every task', { skip }, async (t) => {
  let runs = 0
  let calls = 0
  let questions = 0
  let foreseen = 0
  for (const suite of suites) {
    await using house = await openSuiteHouse(suite, scripted)
    for (const one of flowTasks(suite)) {
      const where = `${suite.suite} ${one.task.id}`
      const replay = await house.run(one)
      assert.equal(
        replay.trace.state,
        'completed',
        `${where} ${JSON.stringify(replay.trace.problem)}`,
      )
      const made = replay.calls.map(({ tool, args }) => ({ tool: tool.name, args }))
      const expected = one.task.steps.map(({ tool, args }) => ({ tool, args }))
      assert.deepEqual(made, expected, where)
      const surprises = replay.askedAbout.filter((node) => !replay.foreseen.includes(node))
      assert.deepEqual(surprises, [], where)
      runs += 1
      foreseen += replay.foreseen.length
      calls += made.length
      questions += replay.questions
    }
  }
  t.diagnostic(`runs: ${runs}; calls as recorded: ${calls}`)
  t.diagnostic(`questions foreseen: ${foreseen}, asked: ${questions}`)
})

test('a value that a model extracts from a file has the label of the file', {
  skip,
}, async () => {
  const [banking] = suites.filter(({ suite }) => suite === 'banking')
  const [bill] = banking ? flowTasks(banking) : []
  assert.ok(banking && bill)
  await using house = await openSuiteHouse(banking, scripted)
  const { trace, questions } = await house.run(bill)
  const pay = trace.steps.find(({ node }) => node === 'pay')
  for (const name of ['recipient', 'amount', 'subject']) {
    const arg = pay?.args.find((one) => one.name === name)
    assert.equal(arg?.integrity, 'external', name)
    assert.equal(arg.level, 'sensitive', name)
    assert.deepEqual(arg.origins, ['banking'], name)
  }
  assert.equal(pay?.args.find((one) => one.name === 'date')?.integrity, 'user')
  assert.equal(questions, 1)
})

function isPassedOn(facts: ToolFacts, names: readonly string[]): boolean {
  const args = names.map((name): Argument => {
    const role = facts.roles.get(name) ?? 'target'
    return { name, role, label: OWN_WORDS, isEndorsed: false }
  })
  return passesOn({ facts, args })
}

test('FLOW-3: a model that works for somebody else steers nothing that the owner was not asked about', {
  skip,
}, async (t) => {
  let made = 0
  for (const suite of suites) {
    const world = worldOf(suite)
    await using house = await openSuiteHouse(suite, scripted, { isRefusing: true, twist: hostile })
    for (const one of flowTasks(suite)) {
      const { calls } = await house.run(one)
      made += calls.length
      const planned = new Set(one.ir.nodes.map(({ type }) => type))
      for (const { tool, args } of calls) {
        const where = `${suite.suite} ${one.task.id} ${tool.name}`
        assert.ok(planned.has(`mcp-${suite.suite}-${tool.name}`), where)
        assert.deepEqual(steeredArguments(world.facts(tool.name), args), [], where)
        // In a text that goes back into its own server, a link stays as it is.
        const sent = isPassedOn(world.facts(tool.name), Object.keys(args)) ? args : {}
        assert.doesNotMatch(JSON.stringify(sent), /https:..evil/, where)
      }
    }
  }
  assert.ok(made > 0)
  t.diagnostic(`calls without a question: ${made}`)
})

const EVIL = 'Evil https://evil.example/take'

/** A hostile model's answer: the worst value that still fits the node's schema. */
function hostile({ type, params }: FlowNode): Json {
  return type === 'extract' ? worst(params['schema'] ?? null) : EVIL
}

function worst(schema: Json): Json {
  const { type, format, properties, items } = schema as JsonObject
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return 666_666
  if (type === 'array') return Array.from({ length: 5 }, () => worst(items ?? null))
  if (type === 'string') return format === undefined ? EVIL : '2066-06-06 06:06'
  const members = Object.entries((properties ?? {}) as JsonObject)
  return Object.fromEntries(members.map(([name, one]) => [name, worst(one)]))
}

/** The non-content arguments (recipients, places, amounts) that hold a value made up by the hostile model. */
function steeredArguments({ roles }: ToolFacts, args: Args): readonly string[] {
  return Object.keys(args).filter((name) => {
    const isTarget = (roles.get(name) ?? 'target') !== 'content'
    return isTarget && /Evil|666666|2066/.test(JSON.stringify(args[name]))
  })
}

/** Kinds of arguments that the owner wrote, or that are a choice among literals of the flow. */
const OWN_KINDS: ReadonlySet<Kind> = new Set(['U', 'Qb', 'Qe'])

/** Arguments of recorded calls that the owner did not write, each with the parameters that the flow has instead. */
function foreignArguments(
  suite: Suite,
  { task, ir }: FlowTask,
): readonly { readonly where: string; readonly written: readonly Json[] }[] {
  return kindsOf(suite, task).flatMap((kinds, at) => {
    const { tool = '' } = task.steps[at] ?? {}
    const nodes = ir.nodes.filter(({ type }) => type === `mcp-${suite.suite}-${tool}`)
    return Object.entries(kinds)
      .filter(([, kind]) => !OWN_KINDS.has(kind))
      .map(([name, kind]) => ({
        where: `${suite.suite} ${task.id} ${tool}.${name} (${kind})`,
        written: nodes.map(({ params }) => params[name] ?? null),
      }))
  })
}
