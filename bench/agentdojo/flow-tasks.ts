/** The tasks of a suite as flows, and its tools as nodes with the host's facts and the labels of their answers. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { BUILT_IN_NODES } from '../../src/flows/nodes/built-in-nodes.ts'
import { descriptorFor } from '../../src/flows/nodes/describe-tool.ts'
import { type FlowIr, parseIr } from '../../src/flows/language/ir.ts'
import {
  createNodeIndex,
  type KnownNode,
  type NodeIndex,
} from '../../src/flows/nodes/node-index.ts'
import { type BuiltInTools, FILES, MODEL } from '../../src/kernel/built-in-tools.ts'
import type { LabelTree } from '../../src/labels/label-tree.ts'
import { labelAnswer } from '../../src/servers/tools/output-labels.ts'
import { derivedFlow } from './derived-flow.ts'
import type { FlowBook } from './flow-book.ts'
import { SLACK } from './flows/slack.ts'
import { TRAVEL } from './flows/travel.ts'
import { deriveManifest } from './field-manifest.ts'
import type { Suite, UserTask } from './suite.ts'
import { createWorld, SETTINGS, type World } from './world.ts'

const FOLDER = path.resolve(import.meta.dirname, 'flows')

/** The reason why no flow can be written for a task, by suite and task. */
export const NOT_EXPRESSIBLE: Readonly<Record<string, Readonly<Record<string, string>>>> =
  JSON.parse(readFileSync(path.join(FOLDER, 'not-expressible.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >

export interface FlowTask {
  readonly suite: string
  readonly task: UserTask
  readonly ir: FlowIr
  /** The flow of the owner over one server. */
  readonly plain: FlowIr
  /** The plan was made from instructions in data, so it is not the owner's. */
  readonly isReplanned: boolean
}

/** The flows that are written in the short form. */
const BOOKS: Readonly<Record<string, FlowBook>> = { slack: SLACK, travel: TRAVEL }

/** The tasks that are flows: as they are written, or for an unknown suite as they were recorded. */
export function flowTasks(all: Suite): readonly FlowTask[] {
  const { suite, userTasks } = all
  const isWritten = NOT_EXPRESSIBLE[suite] !== undefined || BOOKS[suite] !== undefined
  const manifest = deriveManifest(all)
  return userTasks.flatMap((task) => {
    const ir = isWritten ? writtenFlow(suite, task.id) : derivedFlow(all, manifest, task)
    return ir ? [{ suite, task, ir, plain: ir, isReplanned: false }] : []
  })
}

function writtenFlow(suite: string, id: string): FlowIr | undefined {
  const file = path.join(FOLDER, suite, `${id}.json`)
  if (existsSync(file)) return parseIr(JSON.parse(readFileSync(file, 'utf8')))
  return BOOKS[suite]?.[id]?.(suite)
}

/** Tasks whose instructions stand in data: their recorded calls, as a plan that others wrote. */
export function replannedTasks(suite: Suite): readonly FlowTask[] {
  const written = new Set(flowTasks(suite).map(({ task }) => task.id))
  return suite.userTasks
    .filter(({ id }) => !written.has(id))
    .map((task) => {
      const nodes = task.steps.map(({ tool, args }, at) => ({
        id: `step-${at}`,
        type: `mcp-${suite.suite}-${tool}`,
        params: { ...args },
      }))
      const metadata = { name: suite.suite, description: task.prompt.slice(0, 80) }
      const ir = parseIr({ ir_version: '1.0.0', metadata, nodes })
      return { suite: suite.suite, task, ir, plain: ir, isReplanned: true }
    })
}

export function worldOf(suite: Suite): World {
  const [setting] = SETTINGS
  if (!setting) throw new TypeError('There is no setting')
  return createWorld(suite, deriveManifest(suite), { ...setting, level: 'sensitive' })
}

export function answerTree(world: World, tool: string, callId: string): LabelTree {
  const fields = [...(world.manifest.fields.get(tool) ?? [])]
  const from = { kind: 'tool', server: world.facts(tool).id.server, tool, callId } as const
  const directory = world.manifest.directories?.get(tool) ?? []
  return labelAnswer({ label: world.label(tool), raw: {}, fields, directory, from })
}

export function bookOf(suite: Suite, world: World, builtIns: BuiltInTools): NodeIndex {
  return createNodeIndex([
    ...BUILT_IN_NODES.map((descriptor): KnownNode => {
      const server = descriptor.kind === 'file' ? FILES : MODEL
      const facts =
        descriptor.kind === 'operator' ? undefined : builtIns.know({ server, name: descriptor.id })
      return { descriptor, ...(facts && { facts }) }
    }),
    ...suite.tools.map(({ name, inputSchema }): KnownNode => {
      const facts = world.facts(name)
      const described = { name, inputSchema, hash: facts.hash, quarantined: false }
      return {
        descriptor: descriptorFor(described, facts),
        facts,
        answers: answerTree(world, name, ''),
      }
    }),
  ])
}
