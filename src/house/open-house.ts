/**
 * Builds the rooms, each after the ones it needs, and disposes them in reverse. A crash or a Ctrl-C relies on this
 * order: the web is closed first, the home's lock is released last.
 */
import { homedir } from 'node:os'
import { CallProgress } from '../text/call-progress.ts'
import { Changes } from '../text/changes.ts'
import type { RunningKernel } from '../api/client.ts'
import type { Api } from '../api/contract.ts'
import { type ApiDeps, createApi } from '../api/server.ts'
import { createChatCommands } from '../channels/chat-commands.ts'
import { checkAtLaunch } from '../catalog/install/check-at-launch.ts'
import { runShipped } from '../catalog/shipped/run-shipped.ts'
import {
  judging,
  lookAfterTokens,
  openConnectRooms,
  openCredentials,
  openInstalls,
  openTokens,
} from './connect-rooms.ts'
import { openDefinitions } from './definition-rooms.ts'
import { createEgress } from '../egress/create-egress.ts'
import { createInputQueue } from '../flows/engine/input-queue.ts'
import { runDoctor } from './run-doctor.ts'
import { openFlowRooms } from './flow-rooms.ts'
import { openModelRooms } from './model-rooms.ts'
import { createGateway, gatewaySettings } from './create-gateway.ts'
import { createGatewayOffer, openGatewayClients } from './create-gateway-offer.ts'
import { createImportRooms } from './import-rooms.ts'
import { openPipelineRooms } from './pipeline-rooms.ts'
import { exportServers } from '../definitions/export/export-servers.ts'
import { createDataFolders } from '../home/data-folders.ts'
import { createMemoryRooms } from './memory-rooms.ts'
import { createWritableFolders } from './writable-folders.ts'
import { refuseLink } from './refuse-link.ts'
import { openBackups } from './open-backups.ts'
import { openKeptRooms } from './open-kept-rooms.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import { OWNER } from '../kernel/principal.ts'
import { showTool } from '../kernel/tool-id.ts'
import { type OwnedApprovals, openApprovals } from '../policy/approvals/open-approvals.ts'
import type { Contacts } from '../ports/contact-port.ts'
import { openContacts } from '../policy/contacts/open-contacts.ts'
import { createPolicy } from '../policy/create-policy.ts'
import { openToldLabels } from '../policy/open-told-labels.ts'
import { replayDecisions } from '../policy/replay/replay-decisions.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { missingScopes } from '../servers/missing-scopes.ts'
import { fillInSettings } from '../servers/session/launch-settings.ts'
import { openServers, type OwnedServers } from '../servers/open-servers.ts'
import type { Settings } from './create-surface.ts'
import { openTelegramRoom } from './telegram-room.ts'
import { createKeychain } from '../vault/keychain.ts'
import { openVault } from '../vault/open-vault.ts'
import { openWeb, type Web } from '../web/open-web.ts'
import { createToken } from '../web/token.ts'

export interface HouseOptions extends Omit<Settings, 'port'> {
  readonly port: number
  /** Whether to listen, on the socket and for the page. */
  readonly page: boolean
}

export async function openHouse(options: HouseOptions): Promise<RunningKernel> {
  await using stack = new AsyncDisposableStack()
  const rooms = await openRooms(options, stack)
  const { audit, home } = rooms
  const settings = await gatewaySettings(rooms)
  const serving = await openServing(rooms, stack)
  const stopped = Promise.withResolvers<void>()
  // Opened early, since other rooms need its address; answers once all rooms are built, and is closed first.
  const web = options.page ? stack.use(await openPage(options, rooms)) : undefined
  const formUrl = (service: string) => web && formAt(web.page, service)
  const telegram = stack.use(await openTelegramRoom(rooms))
  const connecting = openConnectRooms(rooms, { ...serving, outlet: telegram.outlet, formUrl })
  const { setup } = connecting
  stack.use(setup)
  const { models, profiles } = await openModelRooms(rooms)
  const around = { ...serving, setup, telegram, hasPage: web !== undefined }
  // The state names flows, and flows keep facts: memory looks around only once all rooms are open.
  const remembering = createMemoryRooms(rooms, () => ({ ...around, ...flowing }))
  const kept = { ...options, ...rooms, ...remembering, models, telegram }
  const flowing = await openFlowRooms(kept, serving, stack)
  const answering = { ...rooms, ...serving, ...flowing, ...remembering, models, profiles }
  const piped = await openPipelineRooms(answering, stack)
  const offered = createGatewayOffer(answering)
  const api = createApi({
    principal: OWNER,
    ...answering,
    ...connecting,
    ...offered,
    ...createImportRooms(rooms, options.entry),
    telegram,
    ...piped,
    data: createDataFolders(home.paths.data),
    createChat: (own) => createChatCommands(own, homedir()),
    exportServers: (all, format) => exportServers(all, format, fillInSettings),
    facts: factsOf(options, rooms),
    backups: openBackups(rooms, options.version),
    page: web,
    createLink: () => web?.createLink() ?? refuseLink(),
    doctor: (at, signal) => runDoctor({ ...rooms, ...serving, homePath: home.path, ...at }, signal),
    stop: () => stopped.resolve(),
  })
  const facing = { ...options, ...rooms, ...offered, settings }
  stack.use(web && (await web.serve(api, await createGateway(rooms, serving, { ...facing, web }))))
  // A kernel that ends with its command reads no messages: it could begin one and not finish it.
  if (options.page) await telegram.begin({ api, handlers: api.handlers })
  stack.defer(() => telegram.end()) // before the rooms that its messages use
  await setup.resume()
  // After the listeners: even if the database of runs is damaged, the kernel can be reached.
  flowing.begin(options.page)
  const ending = new AbortController()
  stack.defer(() => ending.abort())
  void lookAfterTokens(rooms, serving, ending.signal)
  return own(api, stopped.promise, stack.move(), recordLife(audit))
}

/** Records the start; the end is recorded by the function that is returned. A damaged log takes no record. */
function recordLife(audit: Rooms['audit']): () => void {
  const record = (kind: 'kernel.start' | 'kernel.stop'): void => {
    if (audit.damage === undefined) audit.append({ kind, principal: OWNER.id })
  }
  record('kernel.start')
  return () => record('kernel.stop')
}

type Rooms = Awaited<ReturnType<typeof openRooms>>

async function openRooms(options: HouseOptions, stack: AsyncDisposableStack) {
  const { databaseUrl, environment, outside = {} } = options
  const owner = OWNER.id
  const kept = await openKeptRooms({ homePath: options.homePath, databaseUrl }, stack)
  const { home, log, redactor, audit, tables } = kept
  const { paths, files, pinPath } = home
  const shared = { owner, files, pinPath, audit, log, homeFolder: homedir(), ...judging(home) }
  const keychain = createKeychain()
  const writable = createWritableFolders()
  const lending = { redactor, keychain, environment, writableFolders: writable.list }
  const secrets = {
    ...shared,
    ...lending,
    folder: paths.vault,
    cordonHome: home.path,
    now: Date.now,
  }
  const vault = stack.use(await openVault(secrets))
  const places = { userFolder: paths.mcp, configPath: paths.config }
  const defining = openDefinitions({ ...shared, ...places, vault, tables })
  const traffic = new Changes()
  const onTraffic = (): void => traffic.announce()
  const egress = createEgress({ owner, audit, log, onTraffic, ...outside })
  return {
    ...kept,
    vault,
    keychain,
    ...defining,
    definitions: writable.noting(defining.definitions),
    writable,
    egress,
    traffic,
    ...(await openGatewayClients(kept)),
    environment,
    outside,
    canAsk: options.page || options.isUnattended !== true,
  }
}

/** Opens the rooms that run servers, and the policy for their calls. */
async function openServing(rooms: Rooms, stack: AsyncDisposableStack) {
  const { home, log, redactor, audit, definitions, tables, notices } = rooms
  const sandbox = stack.use(await openOwnSandbox(rooms))
  const packages = stack.use(await openInstalls(rooms, sandbox))
  const tokens = openTokens(rooms, notices)
  const credentials = stack.use(openCredentials(rooms, tokens, notices))
  const [input, progress] = [createInputQueue(), new CallProgress()]
  const servers = stack.use(
    await openServers({
      ...(rooms.canAsk && { elicit: input.elicit, askerOf: input.askerOf }),
      onProgress: (...said) => progress.show(...said),
      definitions,
      sandbox: checkAtLaunch(runShipped(sandbox), packages, home.paths.packages),
      egress: credentials.egress,
      vault: credentials.vault,
      audit,
      consents: tables.consents,
      log,
      redactor,
      files: home.files,
      owner: OWNER.id,
      pinsFolder: home.paths.pins,
      ...rooms.launchFrom(packages, home.paths.packages),
      certsFolder: home.paths.certs,
      missingScopes: (definition) => missingScopes(tokens, definition),
      notices,
    }),
  )
  const contacts = await openContacts({ owner: OWNER.id, notes: tables.notes, audit })
  const approvals = stack.use(await openQueue(rooms, contacts))
  const policy = createPolicy({
    secrets: redactor,
    grantsFor: (tool) => approvals.grantsFor(tool),
    isEndorsed: (taskId, value, place) => approvals.isEndorsed(taskId, value, place),
    acquaintance: (value, words) => contacts.acquaintance(value, words),
    planFor: (taskId) => approvals.planFor(taskId),
    alarm: ({ tool }) => notices.raise('credential', tool.server, [showTool(tool)]),
  })
  const asking = { policy, approvals, queue: approvals, replay: replayOver(audit, approvals) }
  const deciding = { ...asking, contacts, told: await openTold(rooms) }
  return { servers, ...listed(servers), packages, tokens, input, progress, ...deciding }
}

/** The views of servers that other rooms look at. */
function listed({
  toolIndex,
  features,
}: OwnedServers): Pick<OwnedServers, 'toolIndex' | 'features'> {
  return { toolIndex, features }
}

async function openOwnSandbox({ home, environment, writable }: Rooms) {
  return await openSandbox({
    nodePath: process.execPath,
    cordonHome: home.path,
    userHome: homedir(),
    writableFolders: writable.list,
    pinPath: home.pinPath,
    extraAuthorities: environment['NODE_EXTRA_CA_CERTS'],
  })
}

/** Decides earlier calls again, with the grants of now. */
function replayOver(audit: Rooms['audit'], approvals: OwnedApprovals): ApiDeps['replay'] {
  const deps = { owner: OWNER.id, audit, grants: () => approvals.grants(), now: Date.now }
  return (request) => replayDecisions(deps, request)
}

async function openTold({ audit, store, tables }: Rooms): Promise<ToldLabels> {
  const isShared = store.kind === 'postgresql'
  return await openToldLabels({ rows: tables.keptLabels, audit, isShared })
}

/** The approval queue: the questions to the owner, and the owner's grants. */
async function openQueue(
  { audit, redactor, store, notices }: Rooms,
  contacts: Contacts,
): Promise<OwnedApprovals> {
  return await openApprovals({
    owner: OWNER.id,
    befriend: (address) => contacts.add({ name: address, addresses: [address] }),
    rows: store.approvals,
    grants: store.grants,
    audit,
    redactor,
    notices,
    now: store.now,
    monotonic: () => performance.now(),
  })
}

/** The form is at `localhost` rather than at the address. Called once per connection; only its link holds the key. */
function formAt(page: string, service: string): string {
  return `http://localhost:${new URL(page).port}/credential/${service}/${createToken()}`
}

function factsOf(options: HouseOptions, { home, store }: Rooms): ApiDeps['facts'] {
  return {
    version: options.version,
    node: process.versions.node,
    pid: process.pid,
    home: home.path,
    startedAt: new Date().toISOString(),
    store: store.kind,
  }
}

async function openPage({ port }: HouseOptions, rooms: Rooms): Promise<Web> {
  const { audit, log, home, store } = rooms
  const { sessions, now } = store
  const socketPath = home.paths.socket
  return await openWeb({ owner: OWNER.id, sessions, audit, log, socketPath, port, now })
}

/** From here on the caller owns the rooms. */
function own(
  api: Api,
  stopped: Promise<void>,
  rooms: AsyncDisposableStack,
  sayGoodbye: () => void,
): RunningKernel {
  return {
    call: (route, input, signal) => api.call(route, input, signal),
    stopped,
    async [Symbol.asyncDispose]() {
      sayGoodbye()
      await rooms.disposeAsync()
    },
  }
}
