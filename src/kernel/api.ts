/**
 * The API's contract, as types and one table. The server checks every input against `api-inputs.ts`;
 * page and command line are typed from here, so none of them can drift. Every route is `POST /api/<route>`.
 */
import type { ApprovalContract } from './approval-contract.ts'
import type { AuditRecord, VerifyReport } from './audit-record.ts'
import type { RegistryPage } from './catalog-port.ts'
import type { DefinitionChanges } from './definition-change.ts'
import type { DoctorCheck } from './doctor-check.ts'
import type { FlowContract } from './flow-contract.ts'
import type { ImportReport } from './import-report.ts'
import type { DefinitionScope, ToolOverride } from './server-definition.ts'
import type { LogLine, ServerState, ToolDescription } from './server-state.ts'
import type { Service } from './service-facts.ts'
import type { FlowView, TokenStatus } from './setup-port.ts'
import type { SeenTools, ToolChange } from './tool-change.ts'
import type { ToolFlag, ToolListing, ToolView } from './tool-view.ts'
import type { KeySource, SecretInfo, VaultStatus } from './vault-status.ts'

type Nothing = Readonly<Record<string, never>>

export interface ServerSummary {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly transport: string
  readonly label: string
  readonly scope: DefinitionScope
  readonly path: string
  readonly allowedDomains: readonly string[]
  readonly warnings: readonly string[]
  /** `bwrap`, `none`, or how it is reached where Cordon does not start it: `remote`, `socket`. */
  readonly cordon: string
  /** It is spoken to without encryption. */
  readonly isInsecure: boolean
  /** How it is now; absent fields are not known yet. */
  readonly state: Omit<ServerState, 'server'>
}

export interface ServerDetails extends ServerSummary {
  readonly command?: string
  readonly args: readonly string[]
  readonly url?: string
  readonly start?: 'eager' | 'lazy'
  readonly version?: string
  readonly scopes: readonly string[]
  readonly sandbox: {
    readonly memoryLimitBytes: number
    readonly readOnlyFs: boolean
    readonly allowTmp: boolean
  }
  /** References only, and whether each resolves now; never a value. */
  readonly credentials: readonly {
    readonly key: string
    readonly ref: string
    readonly present: boolean
  }[]
}

/** A tool as it is shown to its owner: who says what each argument is for. */
export interface ShownTool extends Omit<ToolView, 'roles'> {
  readonly roles: readonly (Omit<ToolView['roles'][number], 'source'> & {
    readonly source: 'catalog' | 'owner' | 'schema' | 'unknown'
  })[]
}

export interface KernelStatus {
  readonly version: string
  readonly node: string
  readonly pid: number
  readonly home: string
  readonly startedAt: string
  readonly page: string | null
  /** What people should know about this start, such as a port that was taken. */
  readonly notices: readonly string[]
  readonly store: 'sqlite' | 'postgresql'
  readonly vault: VaultStatus
  /** Why the audit log takes no records, or null while it is sound. */
  readonly auditDamage: string | null
  readonly servers: number
}

export interface Contract extends ApprovalContract, FlowContract {
  /** Answers at once, whatever else is going on: the way to find out that somebody is there. */
  ping: { input: Nothing; output: { readonly version: string; readonly pid: number } }
  status: { input: Nothing; output: KernelStatus }
  down: { input: Nothing; output: { readonly pid: number } }
  'page.link': { input: Nothing; output: { readonly url: string; readonly expiresAt: string } }
  /** Where a setup flow is under way, `flow` is how it stood when the reply was given. */
  'chat.send': {
    input: { readonly text: string }
    output: { readonly reply: string; readonly wasSecret: boolean; readonly flow: FlowView | null }
  }
  doctor: { input: Nothing; output: { readonly checks: readonly DoctorCheck[] } }
  'vault.status': { input: Nothing; output: VaultStatus }
  'vault.init': {
    input: { readonly source?: KeySource; readonly passphrase?: string }
    output: VaultStatus
  }
  'vault.unlock': { input: { readonly passphrase?: string }; output: VaultStatus }
  'vault.lock': { input: Nothing; output: VaultStatus }
  'vault.list': { input: Nothing; output: { readonly secrets: readonly SecretInfo[] } }
  'vault.set': {
    input: { readonly name: string; readonly value: string }
    output: { readonly name: string; readonly replaced: boolean }
  }
  'vault.remove': {
    input: { readonly name: string }
    output: { readonly name: string; readonly removed: boolean }
  }
  'vault.rotate': {
    input: { readonly passphrase?: string }
    output: { readonly records: number }
  }
  'audit.read': {
    input: { readonly after?: number; readonly limit: number }
    output: { readonly records: readonly AuditRecord[] }
  }
  'audit.search': {
    input: {
      readonly text?: string
      readonly kind?: string
      readonly subject?: string
      readonly since?: string
      readonly until?: string
      readonly limit: number
    }
    output: { readonly records: readonly AuditRecord[] }
  }
  'audit.verify': { input: { readonly head?: string }; output: VerifyReport }
  'audit.reseal': { input: Nothing; output: { readonly kept: string } }
  'mcp.list': {
    input: { readonly workingFolder?: string }
    output: {
      readonly servers: readonly ServerSummary[]
      readonly problems: readonly { path: string; line?: number; message: string }[]
      readonly untrusted?: { readonly folder: string; readonly files: readonly string[] }
    }
  }
  'mcp.show': {
    input: { readonly server: string; readonly workingFolder?: string }
    output: ServerDetails
  }
  'mcp.add': {
    input: { readonly server: string; readonly changes: DefinitionChanges }
    output: ServerDetails
  }
  'mcp.edit': {
    input: { readonly server: string; readonly changes: DefinitionChanges }
    output: ServerDetails
  }
  'mcp.remove': {
    input: { readonly server: string; readonly keepSecrets: boolean }
    output: { readonly removedSecrets: readonly string[] }
  }
  'mcp.start': { input: { readonly server: string }; output: ServerState }
  'mcp.stop': { input: { readonly server: string }; output: ServerState }
  'mcp.restart': { input: { readonly server: string }; output: ServerState }
  'mcp.unsandbox': { input: { readonly server: string }; output: ServerDetails }
  'mcp.sandbox': { input: { readonly server: string }; output: ServerDetails }
  'mcp.logs': {
    input: { readonly server: string }
    output: { readonly lines: readonly LogLine[] }
  }
  'mcp.tools': {
    input: { readonly server: string }
    output: { readonly tools: readonly ToolDescription[] }
  }
  /** What waits for the owner's approval, and what it was before. */
  'mcp.changes': {
    input: { readonly server: string }
    output: { readonly changes: readonly ToolChange[] }
  }
  'mcp.accept': {
    input: { readonly server: string; readonly tools: SeenTools }
    output: { readonly tools: readonly ToolDescription[] }
  }
  'mcp.migrate': {
    input: {
      readonly path: string
      readonly dryRun: boolean
      readonly backup: boolean
      readonly replace: boolean
    }
    output: ImportReport
  }
  'mcp.undo': { input: { readonly importId?: string }; output: ImportReport }
  'mcp.trust': { input: { readonly folder: string }; output: { readonly hash: string } }
  'mcp.untrust': { input: { readonly folder: string }; output: Nothing }
  /** All tools, those of one server, or those that fit some words best. */
  'tools.list': {
    input: { readonly server?: string; readonly search?: string; readonly limit?: number }
    output: {
      readonly tools: readonly ToolListing[]
      /** What is odd about what the server says of itself, where one was named. */
      readonly flags: readonly ToolFlag[]
    }
  }
  'tools.show': {
    input: { readonly server: string; readonly tool: string }
    output: ShownTool
  }
  /** The owner's word about a tool, written into its server's definition. */
  'tools.set': {
    input: {
      readonly server: string
      readonly tool: string
    } & Pick<ToolOverride, 'enabled' | 'semantics' | 'roles'>
    output: ShownTool
  }
  'connect.start': { input: { readonly name: string }; output: FlowView }
  'connect.view': { input: Nothing; output: { readonly flow: FlowView | null } }
  'connect.follow': { input: { readonly flow: string; readonly after: number }; output: FlowView }
  'connect.provide': { input: { readonly flow: string; readonly value: string }; output: FlowView }
  'connect.cancel': { input: Nothing; output: { readonly flow: FlowView | null } }
  'connect.remove': {
    input: { readonly server: string; readonly keepSecrets: boolean }
    output: { readonly removedSecrets: readonly string[] }
  }
  'catalog.list': { input: Nothing; output: { readonly services: readonly Service[] } }
  'catalog.show': { input: { readonly service: string }; output: Service }
  'registry.search': {
    input: {
      readonly query: string
      readonly source?: 'official' | 'smithery'
      readonly next?: string
    }
    output: RegistryPage
  }
  'registry.refresh': { input: Nothing; output: Nothing }
  'auth.status': { input: Nothing; output: { readonly tokens: readonly TokenStatus[] } }
  'auth.refresh': { input: { readonly name: string }; output: TokenStatus }
  'auth.revoke': { input: { readonly name: string }; output: Nothing }
  'auth.callback': { input: { readonly url: string }; output: Nothing }
}

export type Route = keyof Contract
export type Input<R extends Route> = Contract[R]['input']
export type Output<R extends Route> = Contract[R]['output']

/** One way to ask the kernel, whether it runs in this process or behind a socket. */
export interface Api {
  call<R extends Route>(route: R, input: Input<R>, signal?: AbortSignal): Promise<Output<R>>
}
