/** The ports that setup is handed, each narrowed to the methods in use. */
import type { Catalog, Packages, Registries } from '../ports/catalog-port.ts'
import type { Audit, Definitions, Log, Notes, Redactor, Servers, Vault } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Outlet } from '../ports/setup-port.ts'
import type { OwnResult } from '../kernel/own-call.ts'
import type { ToolCall } from '../kernel/tool-call.ts'
import type { AccountNames } from './connection/account-names.ts'
import type { Acquirer } from './connection/acquirer.ts'
import type { PlaceDeps } from './places/read-place.ts'

export interface SetupDeps extends PlaceDeps {
  /** The principal whose services are connected here; every other sender of a message is refused. */
  readonly owner: Principal
  readonly catalog: Catalog
  readonly registries?: Pick<Registries, 'search'>
  /** The server.json of the repository at this address; undefined if it is no address of one. */
  readRepository?(address: string, signal: AbortSignal): Promise<string | undefined>
  readonly packages: Pick<Packages, 'install'>
  readonly vault: Pick<Vault, 'has' | 'isThere' | 'set' | 'list' | 'resolves' | 'status'>
  readonly definitions: Pick<Definitions, 'load' | 'add' | 'edit' | 'remove' | 'migrate'>
  readonly servers: Pick<Servers, 'start' | 'stop' | 'states' | 'refresh' | 'tools'>
  readonly notes: Notes
  readonly accounts: AccountNames
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly redactor: Pick<Redactor, 'redact'>
  readonly outlet: Outlet
  /** The one door, `kernel/call-tool.ts`. */
  callTool(call: ToolCall, signal: AbortSignal): Promise<OwnResult>
  /** Absent: no OAuth, every token is typed. */
  readonly acquirer?: Acquirer
  /** Link to the form for this service's credential on this machine; undefined if no page is served. */
  formUrl?(service: string): string | undefined
  readonly now: () => number
  /** Rejects when aborted. Must not keep the process alive. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}
