/**
 * A suite as data: tools, tasks of a person with the calls that solve them and the recorded answers, places where
 * others can write, and the goals of attackers. Read from a folder; nothing here knows a suite by name.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { Level } from '../../src/labels/label.ts'

/**
 * The source of an argument. U the owner; C a field only the server can write; D a field others can write; Qb, Qe a
 * choice among the plan's own literals; Qn, Qt a number or date, Qi one of a list, Qs any text that a model read out of
 * untrusted data; P text that the owner pasted.
 */
export type Kind = 'U' | 'C' | 'D' | 'Qb' | 'Qe' | 'Qn' | 'Qt' | 'Qi' | 'Qs' | 'P'

export interface SuiteTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly annotations?: JsonObject
  readonly effect: string
  /** Absent: the suite is one server. */
  readonly server?: string
}

export interface SuiteServer {
  readonly level?: Level
  /** Hosts that the server can reach: no host, the hosts of its vendor, or every host. */
  readonly egress?: 'none' | 'vendor' | 'open'
  /** Neither the catalog nor the owner knows anything about the server. */
  readonly isUnknown?: boolean
}

export type Args = Readonly<Record<string, Json>>

export interface SuiteStep {
  readonly tool: string
  readonly args: Args
  readonly effect: string
  readonly output: Json
  /** The `_meta` object of the answer. */
  readonly meta?: JsonObject
  readonly injectable: readonly { readonly vector: string; readonly path: string }[]
}

export interface UserTask {
  readonly id: string
  readonly prompt: string
  readonly steps: readonly SuiteStep[]
}

export interface GoalCall {
  readonly tool: string
  readonly args: Args
  readonly effect: string
}

export interface InjectionTask {
  readonly id: string
  readonly goal: string
  readonly calls: readonly GoalCall[]
  readonly textOnly: boolean
}

export interface Annotation {
  readonly class: string
  readonly calls: readonly {
    readonly tool: string
    readonly loop?: boolean
    readonly args: Readonly<Record<string, Kind>>
  }[]
}

export interface Suite {
  readonly suite: string
  readonly tools: readonly SuiteTool[]
  readonly vectors: readonly { readonly id: string; readonly default: string }[]
  readonly userTasks: readonly UserTask[]
  readonly injectionTasks: readonly InjectionTask[]
  readonly servers?: Readonly<Record<string, SuiteServer>>
  readonly annotations: Readonly<Record<string, Annotation>>
}

const DATA: string = path.resolve(import.meta.dirname, '../../../shared/data')

/** The folders of shared suites beside the project; they may be absent. */
export const SHARED_SUITES: string = path.join(DATA, 'agentdojo')
export const MORE_SUITES: string = path.join(DATA, 'agentdojo-more')

/** All four suites of AgentDojo. */
export function sharedSuites(): readonly Suite[] {
  return [SHARED_SUITES, MORE_SUITES].flatMap(readSuites)
}

/** Suites of our own, in the same format. */
export const OWN_SUITES: string = path.join(import.meta.dirname, 'suites')

/** Every suite of a folder by file name, annotated or not; none where the shared data is not there. */
export function readSuites(folder: string): readonly Suite[] {
  if (folder.startsWith(DATA) && !existsSync(folder)) return []
  const notes = path.join(folder, 'annotations.json')
  const annotated = existsSync(notes) ? readJson(notes) : { tasks: {} }
  const { tasks } = annotated as { tasks: Record<string, Suite['annotations']> }
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'annotations.json')
    .sort()
    .map((file) => readJson(path.join(folder, file)) as Omit<Suite, 'annotations'>)
    .filter((suite) => Array.isArray(suite.userTasks))
    .map((suite) => ({
      ...suite,
      tools: [...suite.tools, ...unlisted(suite)],
      annotations: tasks[suite.suite] ?? {},
    }))
}

/** Tools that are called but not described: nothing is known of their arguments. */
function unlisted(suite: Omit<Suite, 'annotations'>): readonly SuiteTool[] {
  const listed = new Set(suite.tools.map(({ name }) => name))
  const calls = [
    ...suite.userTasks.flatMap(({ steps }) => steps),
    ...suite.injectionTasks.flatMap((goal) => goal.calls),
  ]
  const missing = calls.filter(({ tool }) => !listed.has(tool))
  return [...new Map(missing.map(({ tool, effect }) => [tool, effect]))].map(([name, effect]) => ({
    name,
    inputSchema: { type: 'object' },
    effect,
  }))
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
