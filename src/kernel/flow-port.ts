/** A flow as others see it: how one is given, checked, run and told about. The room `flows/` does all of it. */
import type { Effect } from './effect.ts'
import type { QuestionField } from './elicitation.ts'
import type { Json } from '../text/json.ts'
import type { Level } from '../labels/label.ts'
import type { Principal } from './principal.ts'
import type { Problem } from './problem.ts'

/** A flow as it was written, as JSON, or by the name it was saved under. */
export type FlowSource =
  | { readonly kind: 'text'; readonly text: string }
  /** What a shell made of the words. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'ir'; readonly ir: Json }
  | { readonly kind: 'saved'; readonly name: string }

export interface FlowFinding extends Problem {
  /** Only an error keeps a flow from running. */
  readonly severity: 'error' | 'warning' | 'note'
  /** `nodes[2].params.query`. */
  readonly place: string
}

/** One call that a run will make, as far as it can be known before. */
export interface FlowForecast {
  readonly node: string
  readonly tool: string
  readonly effect: Effect
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly rule: string
  readonly reason?: string
  /** Otherwise only on some ways through the flow. */
  readonly isCertain: boolean
  readonly args: readonly {
    readonly name: string
    readonly role: string
    readonly integrity: string
    readonly level: Level
    readonly from: readonly string[]
  }[]
}

export interface FlowCheck {
  readonly isSound: boolean
  readonly findings: readonly FlowFinding[]
  /** What whoever starts it has to give. */
  readonly needs: readonly {
    readonly name: string
    readonly type: string
    readonly required: boolean
    readonly description?: string
  }[]
  readonly steps: readonly FlowForecast[]
  /** The least that has to be said of it. */
  readonly safety: {
    readonly effect: Effect
    readonly level: Level
    readonly sinks: readonly string[]
  }
  /** As it would be saved: every tool by its full name, as it is now. */
  readonly ir: Json
}

export const RUN_STATES = ['running', 'asking', 'completed', 'failed', 'cancelled'] as const
/** `asking`: it waits for the owner, and costs nothing meanwhile. */
export type RunState = (typeof RUN_STATES)[number]

export interface FlowRun {
  readonly id: string
  /** The name it was saved under, or what it consists of: `mcp-github-search >> llm`. */
  readonly flow: string
  readonly state: RunState
  readonly principal: string
  readonly startedAt: string
  readonly endedAt?: string
  readonly stepsDone: number
  readonly problem?: FlowProblem
  readonly question?: FlowQuestion
}

/** Why it ended without a result. */
export interface FlowProblem extends Problem {
  readonly node?: string
  /** Which rule refused a call of it. */
  readonly rule?: string
}

/** What a run needs to know from its owner before it goes on. */
export interface FlowQuestion {
  readonly id: string
  /** `ambiguous`: a call may have been done; its process died, or its answer was lost. `input`: a server asks for something. */
  readonly kind: 'ambiguous' | 'input'
  readonly node: string
  readonly text: string
  /** For `ambiguous`: `retry`, `done`, `fail`. For `input`: `accept`, `decline`, `cancel`. */
  readonly choices: readonly string[]
  /** For `input`: what is asked for, in the server's words; its answer is one object with these names. */
  readonly fields?: readonly QuestionField[]
  /** For `input`: a page that the server wants visited. Nothing opens it. */
  readonly url?: string
}

export interface FlowStep {
  readonly node: string
  /** Which round of a loop, which item of a list. */
  readonly round?: number
  readonly item?: number
  readonly tool?: string
  readonly state: 'done' | 'failed' | 'skipped' | 'running' | 'ambiguous'
  readonly action?: string
  readonly startedAt: string
  readonly ms?: number
  readonly wasCached?: boolean
  readonly retries?: number
  readonly problem?: string
  /** What it was given: from where, and how it is labelled; the value itself cut short. */
  readonly args: readonly FlowValue[]
  readonly outputs: readonly FlowValue[]
}

export interface FlowValue {
  readonly name: string
  readonly from: string
  readonly integrity: string
  readonly level: Level
  readonly origins: readonly string[]
  /** At most a line; withheld where the reader may not see it. */
  readonly shown: string
}

/** A run in full, for a person. */
export interface FlowTrace extends FlowRun {
  readonly steps: readonly FlowStep[]
  readonly ir: Json
  /** By output; absent until it completed. */
  readonly outputs?: Readonly<Record<string, Json>>
}

/** Something happened in a run. Numbers only grow; what was missed can be asked for again while the process lives. */
export interface FlowEvent {
  readonly number: number
  readonly at: string
  readonly kind: 'started' | 'step' | 'asks' | 'waits' | 'ended'
  readonly node?: string
  /** For people: `mcp-github-search … 12 results (1.2 s)`. */
  readonly text: string
  /** For `asks`: the call a question is about (see `approvals.follow`). */
  readonly callId?: string
}

export interface StartFlow {
  /** Made by who starts it, so that starting twice is starting once. */
  readonly id: string
  readonly source: FlowSource
  readonly principal: Principal
  readonly inputs: Readonly<Record<string, Json>>
  /** What was piped in: anybody's words. */
  readonly stdin?: string
  /** Files are read and written within it; without one, not at all. */
  readonly folder?: string
  readonly approval: 'wait' | 'never' | 'given'
  readonly useCache: boolean
  /** Take a server's word that a tool only reads, for the cache and for retries alone. */
  readonly trust: readonly ('pure' | 'readonly')[]
  /** Limits of whoever started it, where that is not the owner himself. */
  readonly template?: string
}

/** Flows: read, checked, kept and run. Every call of a run passes the one door. */
export interface Flows {
  check(
    source: FlowSource,
    given: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<FlowCheck>
  /** On disk when it returns; refused, with every finding told, where the check fails. */
  start(start: StartFlow, signal: AbortSignal): Promise<FlowRun>
  /** What happened after that number; waits for something to happen as long as `signal` allows. */
  follow(
    id: string,
    after: number,
    signal: AbortSignal,
  ): Promise<{ readonly run: FlowRun; readonly events: readonly FlowEvent[] }>
  /** The newest first. */
  runs(query: { readonly limit: number; readonly state?: RunState }): Promise<readonly FlowRun[]>
  show(id: string): Promise<FlowTrace>
  /** Nothing of it runs afterwards; what is under way is told to stop. */
  cancel(id: string): Promise<FlowRun>
  /** Answers what a run asks; `value` is what was asked for. */
  answer(id: string, question: string, choice: string, value?: Json): Promise<FlowRun>
  save(name: string, source: FlowSource, replace: boolean): Promise<SavedFlow>
  saved(): Promise<readonly SavedFlow[]>
  read(name: string): Promise<SavedFlow & { readonly ir: Json; readonly text?: string }>
  remove(name: string): Promise<boolean>
  /** Every node: tools of servers, and what is built in. */
  nodes(filter?: string): Promise<readonly FlowNodeView[]>
  node(name: string): Promise<FlowNodeView & { readonly text: string; readonly code: string }>
  complete(text: string): Promise<readonly string[]>
  draw(source: FlowSource, format: 'mermaid' | 'dot' | 'text'): Promise<string>
}

export interface SavedFlow {
  readonly name: string
  readonly description: string
  readonly savedAt: string
  readonly nodes: readonly string[]
}

export interface FlowNodeView {
  readonly id: string
  readonly kind: 'mcp' | 'model' | 'file' | 'operator'
  readonly title: string
  readonly description: string
  readonly purity: 'pure' | 'impure'
  readonly effect: Effect
  readonly server?: string
  readonly tool?: string
  /** Why it cannot be used just now. */
  readonly blocked?: string
  readonly inputs: readonly {
    readonly name: string
    readonly type: string
    readonly required: boolean
    readonly description?: string
  }[]
  readonly params: readonly {
    readonly name: string
    readonly type: string
    readonly default: Json
    readonly description?: string
  }[]
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
}

/** Saved flows on disk. */
export interface SavedFlowRows {
  put(flow: StoredFlow, replace: boolean): Promise<boolean>
  get(name: string): Promise<StoredFlow | undefined>
  list(): Promise<readonly StoredFlow[]>
  remove(name: string): Promise<boolean>
}
export interface StoredFlow {
  readonly name: string
  readonly savedAt: number
  /** The IR as JSON. */
  readonly ir: string
  /** As its owner wrote it, where he did. */
  readonly text?: string
}

/** When saved flows run by themselves. */
export interface ScheduleRows {
  put(schedule: FlowSchedule): Promise<void>
  list(): Promise<readonly FlowSchedule[]>
  remove(name: string): Promise<boolean>
}
export interface FlowSchedule {
  /** Of the saved flow; it has one schedule at most. */
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly sinks: readonly string[]
  readonly template: string
  readonly inputs: Readonly<Record<string, Json>>
  readonly createdAt: number
}
