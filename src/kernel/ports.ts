/**
 * Where rooms meet. Each room is handed the ports it needs and knows nothing else of the others.
 * Every port states its contract in one sentence.
 */
import type { Answer, Asked } from './approval.ts'
import type {
  AuditEvent,
  AuditQuery,
  AuditReceipt,
  AuditRecord,
  VerifyReport,
} from './audit-record.ts'
import type { Capability } from './capability.ts'
import type { DefinitionChanges } from './definition-change.ts'
import type { Effect } from './effect.ts'
import type { ImportReport, ImportRequest } from './import-report.ts'
import type { Json } from '../text/json.ts'
import type { PrincipalId } from './principal.ts'
import type { SecretRef } from './secret-ref.ts'
import type { DefinitionProblem, LoadedDefinition } from './server-definition.ts'
import type { ServerId } from './server-id.ts'
import type { LogLine, ServerState, ToolDescription } from './server-state.ts'
import type { CallRequest, ToolCall, ToolResult, Verdict } from './tool-call.ts'
import type { SeenTools, ToolChange } from './tool-change.ts'
import type { ToolFacts } from './tool-facts.ts'
import type { ToolId } from './tool-id.ts'
import type { KeySource, SecretInfo, VaultStatus } from './vault-status.ts'

/** Whole files, by absolute path: after a crash a file holds its old or its new bytes, never a mix. */
export interface Files {
  /** The bytes, or undefined where there is no such file. */
  read(path: string): Promise<Buffer | undefined>
  /** Names of the plain files in a folder, sorted; empty where there is no such folder. */
  list(folder: string): Promise<readonly string[]>
  /** Replaces the file (mode 0600, folders 0700). On disk when this returns; refused before anything is half-written. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Removes the file, durably; no error where there is none. */
  remove(path: string): Promise<void>
}

/** Lines for people who look after Cordon; every line passes the redactor before it is written. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Hides every value that was ever lent, in all the spellings it is known to travel in. */
export interface Redactor {
  redact(text: string): string
  /** For text that arrives in pieces: a secret split across chunks is still found. */
  stream(): RedactorStream
}
export interface RedactorStream {
  /** What can safely be shown so far; the rest is held back until it is known to be harmless. */
  push(chunk: Uint8Array): Buffer
  end(): Buffer
}

/** Says whether a value that was ever lent is in a text, in those spellings: whole, or half of a token. */
export interface SecretFinder {
  isIn(text: string): boolean
}

/** The append-only, hash-chained record. `append` is written when it returns; `appendDurable` is on disk. */
export interface Audit {
  /** Why it takes no records, in plain words; undefined while it is sound. */
  readonly damage: string | undefined
  append(event: AuditEvent): AuditReceipt
  appendDurable(event: AuditEvent): Promise<AuditReceipt>
  /**
   * Opens the record of a tool call: on disk before it returns, unless the call is a read, whose record is written like
   * that of `append`. If `end` is never reached, it closes itself as failed.
   */
  begin(call: ToolCall, verdict: Verdict, effect: Effect): Promise<AuditEntry>
  /** The last `limit` records, or the first `limit` after record `after`. */
  read(window: { readonly after?: number; readonly limit: number }): Promise<readonly AuditRecord[]>
  search(query: AuditQuery): Promise<readonly AuditRecord[]>
  /** Re-computes the chain. With `head`, also demands that this hash is in it. */
  verify(head?: string): Promise<VerifyReport>
  /** The owner's way forward after damage: the old file is kept under the returned name, a new chain begins that cites it. */
  reseal(owner: PrincipalId): Promise<{ readonly kept: string }>
}
export interface AuditEntry extends AsyncDisposable {
  end(result: ToolResult): Promise<ToolResult>
}

/** Secrets at rest, lent by name; no value leaves except inside a lease. */
export interface Vault {
  status(): Promise<VaultStatus>
  init(source: KeySource | undefined, passphrase?: string): Promise<VaultStatus>
  unlock(passphrase?: string): Promise<VaultStatus>
  lock(): Promise<VaultStatus>
  list(owner: PrincipalId): Promise<readonly SecretInfo[]>
  has(owner: PrincipalId, name: string): Promise<boolean>
  set(owner: PrincipalId, name: string, value: Uint8Array): Promise<{ readonly replaced: boolean }>
  remove(owner: PrincipalId, name: string): Promise<{ readonly removed: boolean }>
  /** A new master key, every record encrypted anew; a new passphrase where one is given. */
  rotate(passphrase?: string): Promise<{ readonly records: number }>
  /** Whether this reference would resolve now. Reads no value. */
  resolves(owner: PrincipalId, ref: SecretRef): Promise<boolean>
  /** Resolves every reference or none. The values are wiped when the lease is disposed. */
  lease(
    owner: PrincipalId,
    refs: Readonly<Record<string, SecretRef>>,
    signal: AbortSignal,
  ): Promise<Lease>
}
export interface Lease extends AsyncDisposable {
  /** The lent bytes for this key of `refs`. Copy nothing that outlives the lease. */
  value(key: string): Buffer
}

/** The servers of one principal, as written in TOML files: project over user over system. */
export interface Definitions {
  /** How many servers there are, whatever state they are in. */
  count(): Promise<number>
  /** Reads them all. What a person changed by hand is accepted, recorded, and told until the next start. */
  load(workingFolder?: string): Promise<DefinitionListing>
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
  /** Takes an import back: what it wrote is removed, what it replaced returns. */
  undo(importId?: string): Promise<ImportReport>
  /** Lets this folder's `.cordon/mcp` take part, as long as its content stays as it is now. */
  trustProject(folder: string): Promise<{ readonly hash: string }>
  untrustProject(folder: string): Promise<void>
}
export interface DefinitionListing {
  readonly servers: readonly LoadedDefinition[]
  readonly problems: readonly DefinitionProblem[]
  /** A project folder that has definitions nobody has trusted, or that changed since. */
  readonly untrusted?: { readonly folder: string; readonly files: readonly string[] }
}

/** Which project folders one principal trusts, each by the hash of its content. */
export interface ProjectTrust {
  trustedHash(folder: string): Promise<string | undefined>
  trust(folder: string, hash: string): Promise<void>
  revoke(folder: string): Promise<void>
}

/** What the owner agreed to although Cordon advises against it, each for one exact state of a thing. */
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

/** Records of setup that outlive a restart: flows under way and messages still to be deleted. Never holds a secret. */
export interface Notes {
  put(kind: string, id: string, content: string): Promise<void>
  list(kind: string): Promise<readonly { id: string; content: string }[]>
  remove(kind: string, id: string): Promise<void>
}

/** One holder at a time, among all processes that share the store. */
export interface Locks {
  /** Runs `work` while holding the lock; waits for it as long as `signal` allows. A dead holder loses it after 30 seconds. */
  exclusively<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** What each import wrote and replaced, so that it can be taken back. Never holds a secret. */
export interface ImportJournal {
  add(id: string, journal: string): Promise<void>
  /** The named import, or the newest; never one that was undone. */
  find(id?: string): Promise<{ readonly id: string; readonly journal: string } | undefined>
  markUndone(id: string): Promise<void>
}

/** Browser sessions by the hash of their cookie; a token itself is never stored. */
export interface Sessions {
  add(session: StoredSession): Promise<void>
  find(cookieHash: string, now: number): Promise<StoredSession | undefined>
  remove(cookieHash: string): Promise<void>
}
export interface StoredSession {
  readonly cookieHash: string
  readonly csrfHash: string
  readonly owner: PrincipalId
  readonly expiresAt: number
}

/** Decides what may become of a call. Total, explained, and never less careful because of a server's word. */
export interface Policy {
  decide(request: CallRequest, facts: ToolFacts): Verdict
  /** Opens the arguments and looks at what is in them. What the vault has lent turns any verdict into a no. */
  open(request: CallRequest, verdict: Verdict): OpenedCall
}
export interface OpenedCall {
  readonly verdict: Verdict
  /** As they may leave: links that others wrote are made harmless where the verdict says so. */
  readonly args: Readonly<Record<string, Json>>
}

/** Puts questions to the owner; no answer in 300 seconds is a no. */
export interface Approvals {
  /** Returns when it is answered, or was answered before. An approval is spent, on disk, before this returns. */
  ask(asked: Asked, signal: AbortSignal): Promise<Answer>
  /** One question about several calls; each finds its answer when it is asked for. */
  askTogether(asked: readonly Asked[], signal: AbortSignal): Promise<void>
  /** Takes one use of a grant; false where none is left. On disk before it returns. */
  useGrant(id: string): Promise<boolean>
}

/** The servers of one principal as they run: started when needed, kept alive, stopped when idle. */
export interface Servers {
  /** What the host knows of a tool, from the running server or as it was last seen; where it never ran, it is started. */
  know(tool: ToolId, signal: AbortSignal): ToolFacts | Promise<ToolFacts>
  /** Runs a call on its server, starting it where needed; limits, schema and labels are applied to what returns. */
  call(capability: Capability, signal: AbortSignal): Promise<ToolResult>
  /** Why the arguments do not fit the tool, as a sentence, so that nobody is asked in vain; `call` looks again. */
  misfit(call: Pick<ToolCall, 'tool' | 'args'>): Promise<string | undefined>
  /** Every defined server, running or not. */
  states(): Promise<readonly ServerState[]>
  /** From the running server, or as it was last seen. */
  tools(server: ServerId): Promise<readonly ToolDescription[]>
  logs(server: ServerId): Promise<readonly LogLine[]>
  start(server: ServerId, signal: AbortSignal): Promise<ServerState>
  stop(server: ServerId): Promise<ServerState>
  /** A token was renewed: whatever was started with the old one starts again, once its calls are done. */
  renew(token: string): Promise<void>
  /** Every tool that is not as it was accepted: changed, new or gone. */
  toolChanges(server: ServerId): Promise<readonly ToolChange[]>
  /** Takes changes as the owner saw them: all of them, or none where one is no longer what was seen. */
  acceptTools(server: ServerId, seen: SeenTools): Promise<void>
  /** Takes every acceptance back and stops the server: none of its tools can be called until they are accepted again. */
  quarantine(server: ServerId): Promise<void>
  /** The owner's consent that a server whose definition asks for it runs without a sandbox, until the definition changes. */
  dangerouslyUnsandbox(server: ServerId): Promise<void>
  /** Takes that back, and stops the server. */
  withdrawUnsandbox(server: ServerId): Promise<void>
  /** Takes changes of the definitions over: new ones may start, removed and disabled ones stop. */
  refresh(): Promise<void>
}
