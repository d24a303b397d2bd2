/** What this room is handed: the one door, what there is to know about tools, and places to keep things. */
import type { BuiltInTools } from '../kernel/built-in-tools.ts'
import type { SavedFlowRows } from '../kernel/flow-port.ts'
import type { Approvals, Audit, Files, Log, Redactor } from '../kernel/ports.ts'
import type { PostgresTarget } from '../kernel/postgres-target.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Problem } from '../kernel/problem.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ToolDescription } from '../kernel/server-state.ts'
import type { Template } from '../kernel/tool-call.ts'
import type { ToolIndex } from '../kernel/tool-view.ts'
import type { InputQueue } from './engine/input-queue.ts'
import type { Door } from './engine/run-context.ts'

export interface FlowDeps {
  /** Its servers include the built-in tools. */
  readonly door: Door
  /** Takes a record of what becomes of runs; of their calls the door does. */
  readonly audit?: Pick<Audit, 'append'>
  /** For whoever said yes together with the command. */
  readonly consented: Approvals
  readonly toolIndex: ToolIndex
  readonly builtIns: BuiltInTools
  /** How a server describes its tools, as last seen. */
  readonly tools: (server: ServerId) => Promise<readonly ToolDescription[]>
  /** Why a server cannot be used just now: no token, or one that allows too little. */
  readonly readiness?: (server: ServerId, profile?: string) => Promise<Problem | undefined>
  /** Where questions of servers arrive. Without one, no server can ask. */
  readonly input?: InputQueue
  /** As its owner wrote it just now; throws where it is not understood. */
  readonly template: (name: string) => Promise<Template | undefined>
  readonly savedFlows: SavedFlowRows
  readonly redactor?: Pick<Redactor, 'redact'>
  /** The SQLite file of runs; not used where there is a database. */
  readonly runsPath: string
  /** As `DATABASE_URL` names it. */
  readonly database?: PostgresTarget
  readonly cacheFolder: string
  readonly files: Files
  /** The principal whose flows these are: checks and records are made in their name. */
  readonly owner: Principal
  readonly log: Log
  readonly now: () => number
}
