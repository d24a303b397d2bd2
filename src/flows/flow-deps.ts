/**
 * The deps of this room: the one door, the facts about tools, and the places to store flows, runs and cached answers.
 */
import type { BuiltInTools } from '../kernel/built-in-tools.ts'
import type { SavedFlowRows } from '../ports/saved-flow-port.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { Approvals, Audit, Files, Log, Redactor } from '../kernel/ports.ts'
import type { PostgresTarget } from '../text/postgres-target.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Problem } from '../text/problem.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ToolDescription } from '../kernel/server-state.ts'
import type { FindHome } from './language/expand-homes.ts'
import type { Template } from '../kernel/tool-call.ts'
import type { ToolIndex } from '../ports/tool-view.ts'
import type { InputQueue } from './engine/input-queue.ts'
import type { Door } from './engine/run-context.ts'

export interface FlowDeps {
  /** The door's servers include the built-in tools. */
  readonly door: Door
  /** Records the start, end, cancellation and answers of runs; the door records their calls. */
  readonly audit?: Pick<Audit, 'append'>
  /** For an owner who consented with the command itself (`--yes`). */
  readonly consented: Approvals
  readonly toolIndex: ToolIndex
  readonly builtIns: BuiltInTools
  /** The tools of a server, as it described them last. */
  readonly tools: (server: ServerId) => Promise<readonly ToolDescription[]>
  /** Admits the servers that a trusted project brings to this folder; their ids. */
  readonly projectServers?: (folder: string) => Promise<readonly ServerId[]>
  /** Why these tools of a server cannot be used now, for example for want of a token; undefined if they can. */
  readonly readiness?: (
    server: ServerId,
    used: { readonly tools: readonly string[]; readonly profile?: string },
  ) => Promise<Problem | undefined>
  /** The account that a server answers for; undefined if it is not known, and then its answers are not cached. */
  readonly account?: (server: ServerId) => Promise<string | undefined>
  /** The queue for questions of servers. Without it, no server can ask. */
  readonly input?: InputQueue
  /** The template as configured now; throws if it cannot be parsed. */
  readonly template: (name: string) => Promise<Template | undefined>
  /** Counts a call under this template; how long it has to wait instead, if the budget is used up. */
  readonly budgetWait?: (template: string) => number | undefined
  readonly savedFlows: SavedFlowRows
  readonly findHome?: FindHome
  /** Notices about runs that wait for the owner. */
  readonly notices?: Noticing
  readonly redactor?: Pick<Redactor, 'redact'>
  /** The SQLite file of runs; not used if there is a `database`. */
  readonly runsPath: string
  /** The target of `DATABASE_URL`. */
  readonly database?: PostgresTarget
  /** The name of the home among the kernels of a shared database (see `nameHome`). */
  readonly home?: string
  readonly cacheFolder: string
  readonly files: Files
  /** The principal whose flows these are: checks and records are made in their name. */
  readonly owner: Principal
  /** `[flows]` of config.toml, not validated. */
  readonly settings?: unknown
  readonly log: Log
  readonly now: () => number
}
