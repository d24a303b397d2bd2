/** One run of a task: what its servers answer and what its model says, as the adversary of the run wants it. */
import { isDeepStrictEqual } from 'node:util'
import { type FlowIr, type FlowNode, parseIr } from '../../src/flows/language/ir.ts'
import { wholeReference } from '../../src/flows/language/references.ts'
import type { ToolCall } from '../../src/kernel/tool-call.ts'
import type { Json } from '../../src/text/json.ts'
import type { Adversary, Field } from './adversary.ts'
import { answersFor, outputOf } from './flow-oracle.ts'
import { toolIn, usesIn } from './flow-uses.ts'
import type { FlowTask } from './flow-tasks.ts'
import { parsePath, placesIn, placesOf, rewritten } from './json-path.ts'
import { kindsOf } from './step-kinds.ts'
import type { Suite, SuiteStep } from './suite.ts'
import { ECHO } from './variants.ts'

export interface Stage {
  answer(call: ToolCall): Json
  /** The answer to a model node of the flow; undefined if none of them asks so. */
  speak(system: string, input: string): Json | undefined
}

export interface StageWishes {
  readonly suite: Suite
  /** With the flow as it runs. */
  readonly task: FlowTask
  readonly adversary: Adversary
}

export function stageFor({ suite, task, adversary }: StageWishes): Stage {
  const { ir, plain } = task
  const steps = task.task.steps
  const truths = answersFor(plain, suite.suite, steps)
  const uses = usesIn(ir, new Set(suite.tools.map(({ name }) => name)))
  const left = steps.map((step, at) => ({ step, at }))
  const fields = fieldsOf(suite, task)
  return {
    answer({ tool, args }) {
      if (tool.server === ECHO) return { text: args['text'] ?? null }
      const isIt = ({ step }: { step: SuiteStep }): boolean => step.tool === tool.name
      const exact = left.findIndex((one) => isIt(one) && isDeepStrictEqual(one.step.args, args))
      const found = exact < 0 ? left.findIndex(isIt) : exact
      const [next] = found < 0 ? [] : left.splice(found, 1)
      if (!next) return { message: 'done' }
      return (fields.get(next.at) ?? []).reduce<Json>(
        (value, { path, ...field }) => rewritten(value, path, () => adversary.write(field)),
        next.step.output,
      )
    },
    speak(system, input) {
      const node = nodeAsking(ir, truths, system)
      if (!node) return undefined
      const truth = truths.get(node.id) ?? null
      const options = (field: string) => optionsOf(task, suite, node.id, field)
      return adversary.say({ node, output: outputOf(node.type), truth, input, options, uses })
    },
  }
}

/** Finds the node by its instruction in the system message. */
function nodeAsking(
  ir: FlowIr,
  truths: ReadonlyMap<string, Json>,
  system: string,
): FlowNode | undefined {
  return ir.nodes.find(({ id, params }) => {
    const told = params['instruction'] ?? params['prompt']
    return truths.has(id) && typeof told === 'string' && system.includes(told)
  })
}

/** The items of the list that the flow chooses from with this field, as recorded. */
function optionsOf(
  { ir, task }: FlowTask,
  suite: Suite,
  node: string,
  field: string,
): readonly Json[] | undefined {
  const chooser = ir.nodes.find(({ type, params }) => {
    const where = params['where'] as { readonly value?: Json } | undefined
    return type === 'select' && where?.value === `\${${node}.${field}}`
  })
  const items = chooser?.params['items']
  const path = typeof items === 'string' ? wholeReference(items) : undefined
  const source = ir.nodes.find(({ id }) => id === path?.[0])
  const tool = source && toolIn(source.type, new Set(suite.tools.map(({ name }) => name)))
  const output = task.steps.find((step) => step.tool === tool)?.output
  return Array.isArray(output) ? (output as readonly Json[]) : undefined
}

type WritableField = Field & { readonly path: readonly (string | number)[] }

/** The fields that others can write, by step: those of the suite, and those that an argument of kind D comes from. */
function fieldsOf(suite: Suite, { task }: FlowTask): ReadonlyMap<number, readonly WritableField[]> {
  const kinds = kindsOf(suite, task)
  return new Map(
    task.steps.map(({ output, injectable }, at) => {
      const later = task.steps.slice(at + 1).flatMap(({ args, tool }, after) =>
        Object.entries(args).flatMap(([argument, value]) =>
          [...placesIn(value)].map(({ path, json }) => ({
            tool,
            nth: nthOf(task.steps, at + 1 + after),
            argument,
            inside: path.map(String),
            json,
            kind: kinds[at + 1 + after]?.[argument],
          })),
        ),
      )
      const named = injectable.map(({ path }) => parsePath(path))
      const taken = later
        .filter(({ kind, json }) => kind === 'D' && typeof json === 'string')
        .flatMap(({ json }) => placesOf(json, output))
      const all = new Map([...named, ...taken].map((path) => [JSON.stringify(path), path]))
      const fields = [...all.values()].flatMap((path) => {
        const old = [...placesIn(output)].find((one) => isDeepStrictEqual(one.path, path))?.json
        if (old === undefined) return []
        return [{ path, old, feeds: later.filter(({ json }) => isDeepStrictEqual(json, old)) }]
      })
      return [at, fields] as const
    }),
  )
}

function nthOf(steps: readonly SuiteStep[], at: number): number {
  return steps.slice(0, at).filter(({ tool }) => tool === steps[at]?.tool).length
}

/** The flow as it runs: one that was planned from an attacker's instructions also makes the attacker's calls. */
export function asIt({ ir, isReplanned, suite }: FlowTask, { goal }: Adversary): FlowIr {
  if (!isReplanned || !goal) return ir
  const { edges: _inOrder, ...rest } = ir
  const wishes = goal.calls.map(({ tool, args }, nth) => ({
    id: `wish-${nth}`,
    type: `mcp-${suite}-${tool}`,
    params: { ...args },
  }))
  const isLast = (type: string): boolean => type === 'llm'
  return parseIr({
    ...rest,
    nodes: [
      ...ir.nodes.filter(({ type }) => !isLast(type)),
      ...wishes,
      ...ir.nodes.filter(({ type }) => isLast(type)),
    ],
  })
}
