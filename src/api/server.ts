/**
 * The server side: every request of every surface is answered here. The order of the lines is the order of the checks:
 * the sender, the route, the surface, the input; and only then the handler.
 */
import { CordonError } from '../kernel/error.ts'
import type { RecordTurn } from '../ports/memory-port.ts'
import type { MessageHandler, MessageHandlers, SetupHandler } from '../kernel/receive.ts'
import type { Turns } from '../ports/turn-port.ts'
import { type ApprovalDeps, approvalRoutes } from './approvals.ts'
import { type AuditDeps, auditRoutes } from './audit.ts'
import { type BackupDeps, backupRoutes } from './backup.ts'
import { type CallDeps, callRoutes, type CallsUnderWay } from './calls.ts'
import { type CatalogDeps, catalogRoutes } from './catalog.ts'
import { type ChannelDeps, channelRoutes } from './channels.ts'
import { type ChatContract, chatRoutes } from './chat.ts'
import { type ConnectDeps, connectRoutes } from './connect.ts'
import type { Api, Contract, Input, Output, Route } from './contract.ts'
import { type ClientDeps, clientRoutes } from './clients.ts'
import { type ContactDeps, contactRoutes } from './contacts.ts'
import { type ContextDeps, contextRoutes } from './contexts.ts'
import { definitionRoutes } from './definitions.ts'
import { type EventDeps, eventRoutes } from './events.ts'
import { type ExportDeps, exportRoutes } from './exports.ts'
import { type FlowDeps, flowRoutes } from './flows.ts'
import { type KernelDeps, kernelRoutes } from './kernel.ts'
import { type MarkDeps, markRoutes } from './marks.ts'
import { type MemoryDeps, memoryRoutes } from './memory.ts'
import { type MessageDeps, messageRoutes } from './messages.ts'
import { type NoticeDeps, noticeRoutes } from './notices.ts'
import { type PackageDeps, packageRoutes } from './packages.ts'
import { type UpdateDeps, updateRoutes } from './updates.ts'
import { type UpgradeDeps, upgradeRoutes } from './upgrades.ts'
import { type PolicyDeps, policyRoutes } from './policy.ts'
import { type ProfileDeps, profileRoutes } from './profiles.ts'
import type { AnyRoute, Listening, Routes } from './route.ts'
import { type SettingsDeps, settingsRoutes } from './server-settings.ts'
import { type ServerDeps, serverRoutes } from './servers.ts'
import { type ToolDeps, toolRoutes } from './tools.ts'
import { type VaultDeps, vaultRoutes } from './vault.ts'
import type { WatchDeps } from './watches.ts'

export type ApiDeps = KernelDeps &
  VaultDeps &
  AuditDeps &
  ServerDeps &
  SettingsDeps &
  CallDeps &
  ToolDeps &
  MarkDeps &
  ApprovalDeps &
  ClientDeps &
  ContactDeps &
  ContextDeps &
  PolicyDeps &
  ProfileDeps &
  PackageDeps &
  UpdateDeps &
  UpgradeDeps &
  ConnectDeps &
  CatalogDeps &
  FlowDeps &
  EventDeps &
  ExportDeps &
  BackupDeps &
  MemoryDeps &
  MessageDeps &
  ChannelDeps &
  WatchDeps &
  NoticeDeps & {
    /** Makes the chat's own commands, which call all the other routes. */
    createChat(api: Api<Exclude<Route, keyof ChatContract>>): MessageHandler
    readonly recordTurn: RecordTurn
    readonly turns: Turns
  }

export interface ApiServer extends Api {
  /** Answers `POST /api/<route>`. Throws its refusals; the listener turns them into answers. */
  answer(request: Request, listener: Listener): Promise<Response>
}

/** A listener for requests: admits senders, reads bodies, and words its refusals. */
export interface Listener {
  readonly surface: Listening
  /** Throws unless the sender may use this listener at all; checked first, so a stranger learns of no route. */
  readonly admit: (request: Request) => void
  readonly read: (request: Request) => Promise<unknown>
  readonly refuse: (reason: 'not-found' | 'terminal-only') => CordonError
}

/**
 * An API acts for one principal, `deps.principal`, because most of its rooms are opened for one: a request could not act as
 * anybody else. Who may ask is the listener's matter.
 */
export function createApi(deps: ApiDeps): ApiServer & { readonly handlers: MessageHandlers } {
  const { routes, handlers } = createHandled(deps)
  return { ...serveRoutes(routes), handlers }
}

export function createRoutes(deps: ApiDeps): Routes<Contract> {
  return createHandled(deps).routes
}

/** The routes, and the handlers of messages for channels that tell themselves who sent a message. */
function createHandled(deps: ApiDeps): {
  readonly routes: Routes<Contract>
  readonly handlers: MessageHandlers
} {
  const underWay: CallsUnderWay = new Map()
  const routes = {
    ...kernelRoutes(deps),
    ...vaultRoutes(deps),
    ...auditRoutes(deps),
    ...serverRoutes(deps),
    ...settingsRoutes(deps),
    ...definitionRoutes(deps),
    ...callRoutes(deps, underWay),
    ...toolRoutes(deps),
    ...markRoutes(deps),
    ...approvalRoutes(deps, underWay),
    ...clientRoutes(deps),
    ...contactRoutes(deps),
    ...contextRoutes(deps),
    ...policyRoutes(deps),
    ...profileRoutes(deps),
    ...packageRoutes(deps),
    ...updateRoutes(deps),
    ...upgradeRoutes(deps),
    ...connectRoutes(deps),
    ...catalogRoutes(deps),
    ...flowRoutes(deps),
    ...eventRoutes(deps),
    ...exportRoutes(deps),
    ...memoryRoutes(deps),
    ...messageRoutes(deps),
    ...noticeRoutes(deps),
    ...backupRoutes(deps),
    ...channelRoutes(deps),
  }
  const handlers = createHandlers(deps, deps.createChat(askRoutes(routes)))
  const { principal, setup, turns } = deps
  const talking = chatRoutes({ principal, handlers, turns, view: () => setup.view() })
  return { routes: { ...routes, ...talking }, handlers }
}

function createHandlers(
  { setup, recordTurn, turns }: ApiDeps,
  answer: MessageHandler,
): MessageHandlers {
  const take: SetupHandler = (message, signal) =>
    recordTurn('setup', message, () => setup.take(message, signal))
  const chat: MessageHandler = (message, signal) =>
    recordTurn('chat', message, () => answer(message, signal))
  return {
    setup: take,
    chat,
    async turns(message) {
      const turn = await turns.begin(message)
      return turn === undefined ? undefined : { kind: 'turn', turn }
    },
  }
}

export function serveRoutes(routes: Routes<Contract>): ApiServer {
  return {
    ...askRoutes(routes),
    answer: (request, listener) => answerRequest(routes, request, listener),
  }
}

export async function answerRequest(
  routes: Readonly<Record<string, AnyRoute>>,
  request: Request,
  { surface, admit, read, refuse }: Listener,
): Promise<Response> {
  admit(request)
  const name = routeIn(request.url)
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (!route) throw refuse('not-found')
  const isTerminal = surface === 'terminal'
  if (!isTerminal && route.surface !== 'any') throw refuse('terminal-only')
  const input = parseInput(name, route, await read(request))
  if (!isTerminal && route.isForTerminal?.(input)) throw refuse('terminal-only')
  // The signal aborts when the client disconnects, so that no work goes on for it.
  return Response.json(await route.handle(input, request.signal, surface))
}

/** Empty if the URL is not one of the API. */
function routeIn(url: string): string {
  const { pathname } = new URL(url)
  try {
    return pathname.startsWith('/api/') ? decodeURIComponent(pathname.slice('/api/'.length)) : ''
  } catch {
    return '' // a `%` that escapes nothing
  }
}

/** The API within the kernel's own process, with the rights of a terminal. */
function askRoutes<Known extends Route>(routes: Routes<Pick<Contract, Known>>): Api<Known> {
  const never = new AbortController().signal
  return {
    async call<R extends Known>(name: R, unchecked: Input<R>, signal: AbortSignal = never) {
      const route = (routes as Readonly<Record<string, AnyRoute>>)[name]
      if (!route) throw new TypeError(`There is no route ${name}`)
      return (await route.handle(parseInput(name, route, unchecked), signal)) as Output<R>
    },
  }
}

/** Tells only the field's name and the rule, never the value: it may be a secret. */
function parseInput(name: string, route: AnyRoute, input: unknown): unknown {
  const result = route.input.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = issue?.path.join('.') ?? ''
  throw new CordonError(
    'kernel.input',
    { exit: 2, hint: 'Add `--help` to the command to see what it takes' },
    `Cannot accept ${field ? `field ${JSON.stringify(field)} of ` : ''}${name}: ${issue?.message ?? 'not valid'}`,
  )
}
