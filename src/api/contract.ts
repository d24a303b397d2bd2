/**
 * The API's contract, as types only: server, page, command line and library are all typed from it, so none of them can
 * drift. Each group of routes is one file beside this one; every route is `POST /api/<route>`.
 */
import type { ApprovalContract } from './approvals.ts'
import type { AuditContract } from './audit.ts'
import type { BackupContract } from './backup.ts'
import type { CallContract } from './calls.ts'
import type { CatalogContract } from './catalog.ts'
import type { ChannelContract } from './channels.ts'
import type { ChatContract } from './chat.ts'
import type { ConnectContract } from './connect.ts'
import type { ClientContract } from './clients.ts'
import type { ContactContract } from './contacts.ts'
import type { ContextContract } from './contexts.ts'
import type { DefinitionContract } from './definitions.ts'
import type { EventContract } from './events.ts'
import type { ExportContract } from './exports.ts'
import type { FlowContract } from './flows.ts'
import type { KernelContract } from './kernel.ts'
import type { MarkContract } from './marks.ts'
import type { MemoryContract } from './memory.ts'
import type { MessageContract } from './messages.ts'
import type { NoticeContract } from './notices.ts'
import type { PackageContract } from './packages.ts'
import type { PolicyContract } from './policy.ts'
import type { ProfileContract } from './profiles.ts'
import type { OpenRoute } from './route.ts'
import type { ServerContract } from './servers.ts'
import type { SettingsContract } from './server-settings.ts'
import type { ToolContract } from './tools.ts'
import type { UpdateContract } from './updates.ts'
import type { UpgradeContract } from './upgrades.ts'
import type { VaultContract } from './vault.ts'

export interface Contract
  extends KernelContract,
    ChatContract,
    VaultContract,
    AuditContract,
    ServerContract,
    SettingsContract,
    DefinitionContract,
    CallContract,
    ToolContract,
    MarkContract,
    ApprovalContract,
    ClientContract,
    ContactContract,
    ContextContract,
    PolicyContract,
    ProfileContract,
    PackageContract,
    ConnectContract,
    CatalogContract,
    FlowContract,
    EventContract,
    ExportContract,
    MemoryContract,
    MessageContract,
    NoticeContract,
    BackupContract,
    ChannelContract,
    UpdateContract,
    UpgradeContract {}

export type Route = keyof Contract
/** The routes that a page may use. */
export type PageRoute = OpenRoute<Contract>
export type Input<R extends Route> = Contract[R]['input']
export type Output<R extends Route> = Contract[R]['output']

/** Calls the kernel, whether it runs in this process or behind a socket. */
export interface Api<Known extends Route = Route> {
  call<R extends Known>(route: R, input: Input<R>, signal?: AbortSignal): Promise<Output<R>>
}
