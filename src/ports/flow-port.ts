/** The port of flows: how a flow is given, checked, run and reported. The room `flows/` implements it. */
import type { CheckedFor } from './checked-for.ts'
import type { FlowRunQuery } from './flow-run-query.ts'
import type { RunState } from '../kernel/run-state.ts'
import type { Effect } from '../kernel/effect.ts'
import type { QuestionField } from '../kernel/elicitation.ts'
import type { Json } from '../text/json.ts'
import type { Label, Level } from '../labels/label.ts'
import type { Labelled } from '../labels/labelled.ts'
import type { PlanBounds } from '../kernel/plan-bounds.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Problem } from '../text/problem.ts'
import type { TokenUsage } from '../text/token-usage.ts'
import type { ToolId } from '../kernel/tool-id.ts'

/** As written, as JSON, or by its saved name. `folder`: where it was typed; a trusted project there brings its servers. */
export type FlowSource = { readonly folder?: string } & WrittenFlow
type WrittenFlow =
  | ({ readonly kind: 'text'; readonly text: string } & FromFile)
  /** The words as the shell split them. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | ({ readonly kind: 'ir'; readonly ir: Json } & FromFile)
  | { readonly kind: 'saved'; readonly name: string }

interface FromFile {
  /** Read from a file, which anybody may have written: untrusted until the owner saves that flow. */
  readonly isFile?: true
}

export interface FlowFinding extends Problem {
  /** Only an error prevents a run. */
  readonly severity: 'error' | 'warning' | 'note'
  /** `nodes[2].params.query`. */
  readonly place: string
}

/** One call that a run would make, as far as the check can tell. */
export interface FlowForecast {
  readonly node: string
  readonly tool: string
  readonly effect: Effect
  /** The server can reach any host, so what it is told may go to anybody. */
  readonly isOpen?: true
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly rule: string
  readonly reason?: string
  /** False if the call is made only on some paths through the flow. */
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
  /** The inputs of the flow. */
  readonly needs: readonly FlowInput[]
  readonly steps: readonly FlowForecast[]
  /** The minimum that the flow's own `safety` must declare. */
  readonly safety: {
    readonly effect: Effect
    readonly level: Level
    readonly sinks: readonly string[]
  }
  /** The flow as it would be saved: every tool by its full name, pinned as it is now. */
  readonly ir: Json
}

interface FlowInput {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description?: string
}

export interface FlowRun {
  readonly id: string
  /** The saved name, or the nodes of the flow: `mcp-github-search >> llm`. */
  readonly flow: string
  readonly state: RunState
  readonly principal: string
  readonly startedAt: string
  readonly endedAt?: string
  readonly stepsDone: number
  readonly problem?: FlowProblem
  readonly question?: FlowQuestion
  /** The kernel that works on the run, or what each lacks that could not; only if several share a database. */
  readonly kernel?: string
  readonly waitsFor?: string
  /** Of all models that the run asked. */
  readonly usage?: TokenUsage
}

/** Why a run ended without a result. */
export interface FlowProblem extends Problem {
  readonly node?: string
  /** The policy rule that refused a call. */
  readonly rule?: string
}

/** A question of a run to its owner; the run continues after the answer. */
export interface FlowQuestion {
  readonly id: string
  /** `ambiguous`: a call may have happened. `input`: a server asks. `stuck`: process after process died over the run. */
  readonly kind: 'ambiguous' | 'input' | 'stuck'
  readonly node: string
  readonly text: string
  /** For `input`: the server that asks. */
  readonly server?: string
  /** For `ambiguous`: `retry`, `done`, `fail`. For `stuck`: `retry`, `fail`. For `input`: `accept`, `decline`, `cancel`. */
  readonly choices: readonly string[]
  /** For `input`: the fields that the server asks for, untrusted text; the answer is one object with these names. */
  readonly fields?: readonly QuestionField[]
  /** For `input`: a page that the server wants visited. Cordon never opens it. */
  readonly url?: string
}

export interface FlowStep {
  readonly node: string
  /** The round of a loop, and the item of a list. */
  readonly round?: number
  readonly item?: number
  readonly tool?: string
  readonly state: 'done' | 'failed' | 'skipped' | 'running' | 'ambiguous'
  readonly action?: string
  readonly startedAt: string
  readonly ms?: number
  readonly wasCached?: boolean
  /** Links that were disarmed in the arguments: `2 links disarmed in "body"`. */
  readonly disarmed?: string
  readonly retries?: number
  /** Of the models that the step asked, in all its tries. */
  readonly usage?: TokenUsage
  readonly problem?: string
  /** The server's own text in full, where the problem quotes only a part of it; untrusted. */
  readonly said?: string
  /** Source and labels of each argument; the value itself is shortened. */
  readonly args: readonly FlowValue[]
  readonly outputs: readonly FlowValue[]
}

export interface FlowValue {
  readonly name: string
  readonly from: string
  readonly integrity: string
  readonly level: Level
  readonly origins: readonly string[]
  /** At most one line; withheld if the reader's clearance is too low. */
  readonly shown: string
}

/** A run with all its steps, for a person. */
export interface FlowTrace extends FlowRun {
  readonly steps: readonly FlowStep[]
  readonly ir: Json
  /** By output name; absent until the run completed. */
  readonly outputs?: Readonly<Record<string, Json>>
}

/** Something that happened in a run. Numbers only grow; missed events can be read again while the process lives. */
export interface FlowEvent {
  readonly number: number
  readonly at: string
  readonly kind: 'started' | 'begins' | 'step' | 'asks' | 'waits' | 'ended'
  readonly node?: string
  /** For people: `mcp-github-search … 12 results (1.2 s)`. */
  readonly text: string
  /** For `asks`: the call that the question is about (see `approvals.follow`). */
  readonly callId?: string
  /** For `begins` and `step`, if the node calls a tool; the arguments are told when the call begins. */
  readonly tool?: ToolId
  readonly args?: readonly FlowValue[]
  /** For a `step` that ended without a value: the action it ended with. */
  readonly action?: string
}

export interface StartFlow {
  /** An idempotency key, made by the caller: a second start with the same id starts nothing. */
  readonly id: string
  readonly source: FlowSource
  readonly principal: Principal
  readonly inputs: Readonly<Record<string, Json>>
  /**
   * The label of the words that the flow was written in, if a client of the gateway wrote it: its literals carry it, and
   * its steps count as planned by whoever the client has read. Absent: as the kind of principal and source say.
   */
  readonly words?: Label
  /** Further inputs, which keep the labels that they have: results of earlier runs, texts that were pasted. */
  readonly labelled?: Readonly<Record<string, Labelled>>
  /** Standard input: untrusted. */
  readonly stdin?: string
  /** The only folder in which files are read and written; absent: no files at all. */
  readonly folder?: string
  readonly approval: 'wait' | 'never' | 'given'
  /** The most that an argument which others may choose can amount to, in a plan that is approved as a whole. */
  readonly mostAmount?: number | undefined
  readonly useCache: boolean
  /** Believe a server's hint that a tool only reads; applies to the cache and to retries, never to the policy. */
  readonly trust: readonly ('pure' | 'readonly')[]
  /** The limits of a run that the owner did not start in person. */
  readonly template?: string
  /** The caller stays until the run ends: its start need not be on disk, since a power failure ends the caller too. */
  readonly isAttended?: true
  /** Every change is asked about, one by one, whatever grants there are: also after the run is resumed. */
  readonly asksForWrites?: true
  /** The nodes whose calls are asked about as well although they only read. */
  readonly asksForReads?: readonly string[]
}

export type ForeseenStart = Pick<
  StartFlow,
  'source' | 'principal' | 'words' | 'labelled' | 'template'
>

/** The part of a start that a caller of the API chooses. */
export type StartOptions = Omit<StartFlow, keyof ForeseenStart | NotChosen>
type NotChosen = 'approval' | 'isAttended' | 'asksForWrites' | 'asksForReads'

export interface FlowBounds {
  readonly bounds: PlanBounds
  /** A run asks about this plan as a whole. Otherwise it asks about each call, when its values are known. */
  readonly isAskedAtOnce: boolean
}

/** Flows: parsed, checked, saved and run. Every call of a run passes the one door. */
export interface Flows {
  check(
    source: FlowSource,
    given: readonly string[] | undefined,
    signal: AbortSignal,
    checkedFor?: CheckedFor,
  ): Promise<FlowCheck>
  /** The check of exactly this start: with its principal, limits and labels. Starts nothing. */
  foresee(start: ForeseenStart, signal: AbortSignal): Promise<FlowCheck>
  /** The questions of a run that one answer may take the place of, and their limits. Asks nothing and runs nothing. */
  bounds(
    source: FlowSource,
    given: Pick<StartFlow, 'inputs' | 'mostAmount'>,
    signal: AbortSignal,
  ): Promise<FlowBounds>
  /** The run is on disk when this returns. If the check fails, the run is refused with every finding. */
  start(start: StartFlow, signal: AbortSignal): Promise<FlowRun>
  /** The events after this number; waits for the next one as long as `signal` allows. */
  follow(
    id: string,
    after: number,
    signal: AbortSignal,
  ): Promise<{ readonly run: FlowRun; readonly events: readonly FlowEvent[] }>
  runs(query: FlowRunQuery): Promise<readonly FlowRun[]>
  /** The runs that are under way or wait for the owner. Every prompt says it, so no run is read for it. */
  countOpen(): Promise<number>
  show(id: string): Promise<FlowTrace>
  /** By output name, with their labels; undefined until the run completed. */
  results(id: string): Promise<Readonly<Record<string, Labelled>> | undefined>
  /** No step starts afterwards; a step in progress is told to stop. */
  cancel(id: string): Promise<FlowRun>
  /** Deletes a run that has ended; its audit records stay. A run that goes on is left alone. */
  forget(id: string): Promise<void>
  /** Answers a run's question; `value` holds the fields of an `input` question. */
  answer(id: string, question: string, choice: string, value?: Json): Promise<FlowRun>
  save(name: string, source: FlowSource, replace: boolean): Promise<SavedFlow>
  saved(): Promise<readonly SavedFlow[]>
  read(name: string): Promise<SavedFlow & { readonly ir: Json; readonly text?: string }>
  remove(name: string): Promise<boolean>
  /** Every node: the tools of servers, and the built-in nodes. */
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
  readonly kind: 'mcp' | 'model' | 'file' | 'memory' | 'operator'
  readonly title: string
  readonly description: string
  readonly purity: 'pure' | 'impure'
  readonly effect: Effect
  readonly server?: string
  readonly tool?: string
  /** Why the node cannot be used now. */
  readonly blocked?: string
  readonly inputs: readonly (ViewedKey & { readonly required: boolean })[]
  readonly params: readonly (ViewedKey & { readonly default: Json })[]
  readonly outputs: readonly Omit<ViewedKey, 'description'>[]
}

type ViewedKey = Pick<FlowInput, 'name' | 'type' | 'description'>
