/**
 * The ports through which rooms meet. Each room is handed the ports it needs and knows nothing else of other rooms.
 * Every port states its contract in one sentence.
 */
import type { Disarmed } from '../text/disarmed.ts'
import type { Answer, Asked } from './approval.ts'
import type {
  AuditEvent,
  AuditQuery,
  AuditReceipt,
  AuditRecord,
  AuditSnapshot,
  RecordProof,
  VerifyReport,
} from './audit-record.ts'
import type { Capability } from './capability.ts'
import type { DefinitionChanges } from './definition-change.ts'
import type { Effect } from './effect.ts'
import type { ImportReport, ImportRequest } from './import-report.ts'
import type { Json } from '../text/json.ts'
import type { AskedPlan, PlanUse } from './plan-bounds.ts'
import type { PrincipalId } from './principal.ts'
import type { SecretRef } from './secret-ref.ts'
import type { ProjectChoice, ProjectView } from './project-view.ts'
import type { DefinitionProblem, LoadedDefinition, ServerDefinition } from './server-definition.ts'
import type { ServerId } from './server-id.ts'
import type { LogLine, ProtocolMessage, ServerState, ToolDescription } from './server-state.ts'
import type { CallRequest, ToolCall, ToolResult, Verdict } from './tool-call.ts'
import type { SeenTools, ToolChange } from '../text/tool-change.ts'
import type { ToolFacts } from './tool-facts.ts'
import type { ToolId } from './tool-id.ts'
import type { MarkChange, ToolProposal } from './tool-proposal.ts'
import type { KeySource, SecretInfo, VaultStatus } from './vault-status.ts'

/** Whole files, by absolute path: after a crash a file holds its old or its new bytes, never a mix. */
export interface Files {
  /** The content; undefined if there is no such file. */
  read(path: string): Promise<Buffer | undefined>
  /** Names of the plain files in a folder, sorted; empty if there is no such folder. */
  list(folder: string): Promise<readonly string[]>
  /** Replaces the file (mode 0600 unless told, folders 0700) atomically; on disk when this returns. */
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>
  /** Removes the file, durably; no error if there is none. */
  remove(path: string): Promise<void>
}

/** Lines for the people who operate Cordon; every line passes the redactor before it is written. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Hides every value that was ever lent, in each encoding in which it may appear. */
export interface Redactor {
  redact(text: string): string
  /** For text that arrives in chunks: a secret split across chunks is still found. */
  stream(): RedactorStream
}
export interface RedactorStream {
  /** The redacted bytes that are safe to show; holds back a tail that could be the beginning of a secret. */
  push(chunk: Uint8Array): Buffer
  end(): Buffer
}

/** Whether a text contains a value that was ever lent, in any of those encodings: whole, or half of a token. */
export interface SecretFinder {
  isIn(text: string): boolean
}

/** The append-only, hash-chained log. `append` has written the record when it returns, `appendDurable` synced it. */
export interface Audit {
  /** Why the log is damaged and takes no records; undefined while it is intact. */
  readonly damage: string | undefined
  append(event: AuditEvent): AuditReceipt
  appendDurable(event: AuditEvent): Promise<AuditReceipt>
  /**
   * Opens the record of a tool call. It is on disk when this returns; that of a read is only written, as with `append`.
   * If `end` is never reached, the record closes itself as failed.
   */
  begin(call: ToolCall, verdict: Verdict, effect: Effect, grounds?: string): Promise<AuditEntry>
  /** The last `limit` records, or the first `limit` after record `after`. */
  read(window: { readonly after?: number; readonly limit: number }): Promise<readonly AuditRecord[]>
  search(query: AuditQuery): Promise<readonly AuditRecord[]>
  /** Computes the hash of one record anew and compares it with its neighbours; undefined if there is no such record. */
  prove(seq: number): Promise<RecordProof | undefined>
  /** The number of the last record, once there is one after `after`, or when `signal` aborts. */
  grown(after: number, signal: AbortSignal): Promise<number>
  /** Recomputes the hash chain. With `head`, also requires that this hash occurs in it. */
  verify(head?: string): Promise<VerifyReport>
  snapshot(): Promise<AuditSnapshot>
  /** Recovery after damage: keeps the old file under the returned name, and starts a new chain that cites it. */
  reseal(owner: PrincipalId): Promise<{ readonly kept: string }>
}
export interface AuditEntry extends Disposable {
  /** A promise where the record must be in the file before the caller goes on. */
  end(result: ToolResult): ToolResult | Promise<ToolResult>
}

/** Secrets at rest, lent by name; no value leaves except inside a lease. */
export interface Vault {
  status(): Promise<VaultStatus>
  /** Whether there is a vault, locked or not. Reads no secret, unlike `status`. */
  isThere(): Promise<boolean>
  init(source: KeySource | undefined, passphrase?: string): Promise<VaultStatus>
  unlock(passphrase?: string): Promise<VaultStatus>
  lock(): Promise<VaultStatus>
  sources(): Promise<readonly KeySource[]>
  /** Moves the whole vault to the returned folder, so that a new one can be made. */
  setAside(): Promise<{ readonly folder: string }>
  list(owner: PrincipalId): Promise<readonly SecretInfo[]>
  has(owner: PrincipalId, name: string): Promise<boolean>
  set(owner: PrincipalId, name: string, value: Uint8Array): Promise<{ readonly replaced: boolean }>
  remove(owner: PrincipalId, name: string): Promise<{ readonly removed: boolean }>
  /** A new master key, with every record encrypted anew; also a new passphrase if one is given. */
  rotate(passphrase?: string): Promise<{ readonly records: number }>
  /** The files of a vault that opens on another machine, for a backup: the key of a keychain is a key file there. */
  portable(): Promise<PortableVault>
  /** Whether this reference would resolve now. Reads no value. */
  resolves(owner: PrincipalId, ref: SecretRef): Promise<boolean>
  /** Resolves every reference or none. The values are wiped when the lease is disposed. */
  lease(
    owner: PrincipalId,
    refs: Readonly<Record<string, SecretRef>>,
    signal: AbortSignal,
  ): Promise<Lease>
}
export interface PortableVault {
  /** The source of the key on this machine; null without a vault. */
  readonly key: KeySource | null
  readonly files: readonly { readonly name: string; readonly content: Uint8Array }[]
}
export interface Lease extends AsyncDisposable {
  /** The lent bytes for this key of `refs`. Copy nothing that outlives the lease. */
  value(key: string): Buffer
}

/** The servers of one principal, as written in TOML files: user over system, and those of trusted projects. */
export interface Definitions {
  /** How many servers there are, whatever state they are in. */
  count(): Promise<number>
  /** Reads all definitions. A hand edit is accepted, recorded, and reported as a warning until the next start. */
  load(workingFolder?: string): Promise<DefinitionListing>
  /** Differs after any change of the server's files. Cheap enough for every call. */
  stamp(server: ServerId): string
  /** Writes a new definition of the user's own; refused where the name is taken. */
  add(server: ServerId, changes: DefinitionChanges): Promise<LoadedDefinition>
  /** Changes one of the user's own; its comments stay. */
  edit(server: ServerId, changes: DefinitionChanges): Promise<LoadedDefinition>
  /** Removes one of the user's own, with the secrets that only it names, unless they are kept. */
  remove(
    server: ServerId,
    options: { readonly keepSecrets: boolean },
  ): Promise<{ readonly removedSecrets: readonly string[] }>
  /** Converts other programs' files. Tokens in plain text go to the vault. Writes nothing when `dryRun`. */
  migrate(request: ImportRequest): Promise<ImportReport>
  /** Reverts an import: removes the definitions it wrote, restores those it replaced. */
  undo(importId?: string): Promise<ImportReport>
  /** The content of this folder's `.cordon/mcp`, trusted or not. */
  showProject(folder: string): Promise<ProjectView>
  /** Lets this folder's `.cordon/mcp` take part, if it is what was seen, and as long as its content stays. */
  trustProject(folder: string, choice: ProjectChoice): Promise<{ readonly hash: string }>
  /** The server of this name that a trusted project brings to this folder, under the id it runs as. */
  findInProject(workingFolder: string, server: ServerId): Promise<ServerDefinition | undefined>
  untrustProject(folder: string): Promise<void>
}
export interface DefinitionListing {
  readonly servers: readonly LoadedDefinition[]
  readonly problems: readonly DefinitionProblem[]
  /** How many servers may run at once; absent: the default. */
  readonly maxRunning?: number
  /** A project folder whose definitions are not trusted, or changed since they were. */
  readonly untrusted?: { readonly folder: string; readonly files: readonly string[] }
}

/** Which project folders one principal trusts, each by the hash of its content. */
export interface ProjectTrust {
  trustedHash(folder: string): Promise<string | undefined>
  trust(folder: string, hash: string): Promise<void>
  revoke(folder: string): Promise<void>
}

/** The owner's consent to risks that Cordon advises against, each bound to the hash of what was agreed to. */
export interface Consents {
  /** The hash of what was agreed to. */
  given(subject: string): Promise<string | undefined>
  give(subject: string, hash: string): Promise<void>
  withdraw(subject: string): Promise<void>
}

/** The hash of each definition file as Cordon last wrote or accepted it. */
export interface DefinitionHashes {
  get(path: string): Promise<string | undefined>
  put(path: string, hash: string): Promise<void>
  forget(path: string): Promise<void>
}

/** Records of setup that outlive a restart: unfinished connections and messages still to be deleted. Never a secret. */
export interface Notes {
  put(kind: string, id: string, content: string): Promise<void>
  list(kind: string): Promise<readonly { id: string; content: string }[]>
  remove(kind: string, id: string): Promise<void>
}

/** Notes of which several processes may write the same one. */
export interface SharedNotes extends Notes {
  /** Writes a new note. False if there is one already: of several processes at once, one succeeds. */
  add(kind: string, id: string, content: string): Promise<boolean>
}

/** A lock with one holder at a time, among all processes that share the store. */
export interface Locks {
  /** Runs `work` while holding the lock; waits until `signal` aborts. A dead holder loses it after 30 seconds. */
  exclusively<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** A journal of the files that each import wrote and replaced, so that it can be undone. Never holds a secret. */
export interface ImportJournal {
  add(id: string, journal: string): Promise<void>
  /** The named import, or the newest; never one that was undone. */
  find(id?: string): Promise<{ readonly id: string; readonly journal: string } | undefined>
  markUndone(id: string): Promise<void>
}

/** Decides whether a call may run. Total, with a reason, and never more lenient because of a server's hints. */
export interface Policy {
  decide(request: CallRequest, facts: ToolFacts): Verdict
  /** Opens the arguments and searches them: a value that the vault has lent turns any verdict into a denial. */
  open(request: CallRequest, verdict: Verdict): OpenedCall
  /** The grounds of a decision, for the audit log: labels and roles, never a value. */
  grounds?(request: CallRequest, facts: ToolFacts): string
}
export interface OpenedCall {
  readonly verdict: Verdict
  /** The arguments as sent: links in untrusted text are disarmed if the verdict says so. */
  readonly args: Readonly<Record<string, Json>>
  /** Set if that changed an argument: the places, and the request with labels that fit the changed arguments. */
  readonly changed?: { readonly disarmed: readonly Disarmed[]; readonly request: CallRequest }
}

/** Puts questions to the owner; no answer within 300 seconds is a denial. */
export interface Approvals {
  /**
   * Returns once answered, now or earlier. An approval is spent, on disk, before this returns. When `leave` aborts, the
   * caller stops waiting and is refused with `approval.waiting`, but the question stays: the same call finds its answer.
   */
  ask(asked: Asked, signal: AbortSignal, leave?: AbortSignal): Promise<Answer>
  /** Puts one question about several calls; each call gets its own answer later, through `ask`. */
  askTogether(asked: readonly Asked[], signal: AbortSignal): Promise<void>
  /** Takes one use of a grant; false if none is left. On disk before it returns. */
  useGrant(id: string): Promise<boolean>
  /** Asks about a whole plan; true if its owner allowed it. Absent: no plan can be allowed. */
  askPlan?(asked: AskedPlan, signal: AbortSignal): Promise<boolean>
  /** Counts one call of an approved plan; false if its step has none left. On disk before it returns. */
  usePlan?(use: PlanUse): Promise<boolean>
}

/** The servers of one principal as they run: started on demand, kept alive, stopped when idle. */
export interface Servers {
  /** The facts about a tool, as the server lists it now or listed it last; starts a server that never ran. */
  know(tool: ToolId, signal: AbortSignal): ToolFacts | Promise<ToolFacts>
  /** Runs a call on its server, starting it if needed; applies limits, schema and labels to the result. */
  call(capability: Capability, signal: AbortSignal): Promise<ToolResult>
  /** Why the arguments do not fit the schema, checked before the owner is asked; `call` checks again. */
  misfit(call: Pick<ToolCall, 'tool' | 'args'>): Promise<string | undefined>
  /** Every defined server, running or not; briefly: without the memory, which takes milliseconds to count. */
  states(how?: 'briefly'): Promise<readonly ServerState[]>
  /** From the running server, or as it was last seen. */
  tools(server: ServerId): Promise<readonly ToolDescription[]>
  /** Waits, for some seconds at most, for servers that are starting for the first time: their tools are not known yet. */
  firstTools(): Promise<void>
  logs(server: ServerId): Promise<readonly LogLine[]>
  /** The last messages of the protocol, the oldest first. */
  messages(server: ServerId): Promise<readonly ProtocolMessage[]>
  start(server: ServerId, signal: AbortSignal): Promise<ServerState>
  stop(server: ServerId): Promise<ServerState>
  /** After a token was renewed: restarts every server that was started with the old one, once its calls are done. */
  renew(token: string): Promise<void>
  /** Every tool that is not as it was accepted: changed, new or gone. */
  toolChanges(server: ServerId): Promise<readonly ToolChange[]>
  /** Accepts changes by the hashes that the owner saw: all, or none if one of them has changed again. */
  acceptTools(server: ServerId, seen: SeenTools): Promise<void>
  /** The effects that the tools claim, for the owner to take or change; of the list as last seen. */
  proposal(server: ServerId): Promise<ToolProposal>
  /** Records the owner's answer to the proposal with this hash; refused if the list is another by now. */
  markTools(server: ServerId, set: string, change: MarkChange): Promise<ToolProposal>
  /** Revokes every acceptance and stops the server: its tools cannot be called until they are accepted again. */
  quarantine(server: ServerId): Promise<void>
  /** Consent that a server whose definition asks for it runs without a sandbox, until the definition changes. */
  dangerouslyUnsandbox(server: ServerId): Promise<void>
  /** Takes that back, and stops the server. */
  withdrawUnsandbox(server: ServerId): Promise<void>
  /** Adds a server of a trusted project, or applies its changed definition. Only who knows its id can use it. */
  admit(definition: ServerDefinition): Promise<void>
  /** Stops all servers of projects, and forgets them until they are admitted again. */
  dismissProjects(): Promise<void>
  /** Applies changed definitions: new servers may start, removed and disabled ones stop. */
  refresh(): Promise<void>
}
