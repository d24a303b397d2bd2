/**
 * Builds the rooms, each after the ones it needs, and disposes them in reverse. A crash or a Ctrl-C relies on this
 * order: the web is closed first, the home's lock is released last.
 */
import { homedir } from 'node:os'
import path from 'node:path'
import type { RunningKernel } from '../api/client.ts'
import type { Api } from '../api/contract.ts'
import { type ApiDeps, createApi } from '../api/server.ts'
import { openAudit } from '../audit/open-audit.ts'
import { createChatCommands } from '../channels/chat-commands.ts'
import { checkAtLaunch } from '../catalog/install/check-at-launch.ts'
import { createKnownFacts } from '../catalog/known-tools.ts'
import {
  lookAfterTokens,
  openConnectRooms,
  openCredentials,
  openInstalls,
  openTokens,
} from './connect-rooms.ts'
import { createEgress } from '../egress/create-egress.ts'
import { createInputQueue } from '../flows/engine/input-queue.ts'
import { runDoctor } from './run-doctor.ts'
import { openFlowRooms } from './flow-rooms.ts'
import { openHome } from '../home/open-home.ts'
import { openLog } from '../home/open-log.ts'
import { CordonError } from '../kernel/error.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Log } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Outlet } from '../kernel/setup-port.ts'
import { showTool } from '../kernel/tool-id.ts'
import { type OwnedApprovals, openApprovals } from '../policy/approvals/open-approvals.ts'
import type { Contacts } from '../kernel/contact-port.ts'
import { openContacts } from '../policy/contacts/open-contacts.ts'
import { createPolicy } from '../policy/create-policy.ts'
import { openToldLabels } from '../policy/open-told-labels.ts'
import { replayDecisions } from '../policy/replay/replay-decisions.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { createDefinitions } from '../definitions/create-definitions.ts'
import { openServers } from '../servers/open-servers.ts'
import { openStore } from '../store/open-store.ts'
import type { Settings } from './create-surface.ts'
import { createKeychain } from '../vault/keychain.ts'
import { openVault } from '../vault/open-vault.ts'
import { createRedactor } from '../vault/redactor.ts'
import { openWeb, type Web } from '../web/open-web.ts'
import { createToken } from '../web/token.ts'

const SYSTEM_DEFINITIONS = '/etc/cordon/mcp'

export interface HouseOptions extends Omit<Settings, 'port'> {
  readonly port: number
  /** Whether to listen, on the socket and for the page. */
  readonly page: boolean
}

export async function openHouse(options: HouseOptions): Promise<RunningKernel> {
  await using stack = new AsyncDisposableStack()
  const rooms = await openRooms(options, stack)
  const { audit, home } = rooms
  const serving = await openServing(rooms, stack)
  const stopped = Promise.withResolvers<void>()
  // Opened early, since other rooms need its address; answers once all rooms are built, and is closed first.
  const web = options.page ? stack.use(await openPage(options, rooms)) : undefined
  const formUrl = (service: string) => web && formAt(web.page, service)
  const connecting = openConnectRooms(rooms, { ...serving, outlet: SAID_ON_REQUEST, formUrl })
  const { setup } = connecting
  stack.use(setup)
  const { databaseUrl } = options
  const flowing = await openFlowRooms({ ...rooms, databaseUrl }, serving, stack)
  const api = createApi({
    principal: OWNER,
    ...rooms,
    ...serving,
    ...connecting,
    ...flowing,
    createChat: createChatCommands,
    facts: factsOf(options, rooms),
    page: web,
    createLink: () => web?.createLink() ?? refuseLink(),
    doctor: (signal) => runDoctor({ ...rooms, homePath: home.path }, signal),
    stop: () => stopped.resolve(),
  })
  stack.use(await web?.serve(api))
  await setup.resume()
  // After the listeners: even if the database of runs is damaged, the kernel can be reached.
  flowing.flows.begin()
  const ending = new AbortController()
  stack.defer(() => ending.abort())
  void lookAfterTokens(rooms, serving, ending.signal)
  if (audit.damage === undefined) audit.append({ kind: 'kernel.start', principal: OWNER.id })
  return own(api, stopped.promise, stack.move(), () => {
    if (audit.damage === undefined) audit.append({ kind: 'kernel.stop', principal: OWNER.id })
  })
}

type Rooms = Awaited<ReturnType<typeof openRooms>>

async function openRooms(options: HouseOptions, stack: AsyncDisposableStack) {
  const { databaseUrl, environment, outside = {} } = options
  const owner = OWNER.id
  const redactor = createRedactor()
  const home = stack.use(await openHome(options.homePath))
  const { paths, files } = home
  const log = stack.use(openLog({ folder: paths.logs, redactor }))
  stack.defer(logCrashes(log))
  const anchorPath = path.join(home.path, 'audit-head')
  const audit = stack.use(
    await openAudit({ owner, folder: paths.audit, anchorPath, redactor, log }),
  )
  const store = stack.use(await openStore({ databaseUrl, sqlitePath: paths.state, log }))
  const tables = store.forOwner(owner)
  const shared = { owner, files, audit, log, homeFolder: homedir() }
  const keychain = createKeychain()
  const secrets = { ...shared, folder: paths.vault, redactor, keychain, environment, now: Date.now }
  const vault = stack.use(await openVault(secrets))
  const definitions = createDefinitions({
    ...shared,
    userFolder: paths.mcp,
    systemFolder: SYSTEM_DEFINITIONS,
    trust: tables.projectTrust,
    consents: tables.consents,
    hashes: tables.definitionHashes,
    journal: tables.importJournal,
    vault,
  })
  const egress = createEgress({ owner, audit, log, ...outside })
  return {
    home,
    log,
    redactor,
    audit,
    store,
    tables,
    vault,
    keychain,
    definitions,
    egress,
    environment,
    outside,
  }
}

/** Opens the rooms that run servers, and the policy for their calls. */
async function openServing(rooms: Rooms, stack: AsyncDisposableStack) {
  const { home, log, redactor, audit, definitions, tables } = rooms
  const notify = (message: string): void => log.warn(message)
  const authorities = rooms.environment['NODE_EXTRA_CA_CERTS']
  const sandbox = stack.use(
    await openSandbox({
      nodePath: process.execPath,
      cordonHome: home.path,
      userHome: homedir(),
      ...(authorities !== undefined && { extraAuthorities: authorities }),
    }),
  )
  const packages = stack.use(await openInstalls(rooms, sandbox))
  const tokens = openTokens(rooms, notify)
  const credentials = stack.use(openCredentials(rooms, tokens, notify))
  const input = createInputQueue()
  const servers = stack.use(
    await openServers({
      elicit: input.elicit,
      definitions,
      sandbox: checkAtLaunch(sandbox, packages, home.paths.packages),
      egress: credentials.egress,
      vault: credentials.vault,
      audit,
      consents: tables.consents,
      log,
      redactor,
      files: home.files,
      owner: OWNER.id,
      pinsFolder: home.paths.pins,
      ...createKnownFacts(home.paths.packages),
      certsFolder: home.paths.certs,
      notify,
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
    alarm: ({ tool }) =>
      notify(`A call of ${showTool(tool)} was stopped: it held a credential from the vault`),
  })
  const asking = { policy, approvals, queue: approvals, replay: replayOver(audit, approvals) }
  const deciding = { ...asking, contacts, told: await openTold(rooms) }
  return { servers, toolIndex: servers.toolIndex, packages, tokens, input, ...deciding }
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
  { audit, redactor, store }: Rooms,
  contacts: Contacts,
): Promise<OwnedApprovals> {
  return await openApprovals({
    owner: OWNER.id,
    befriend: (address) => contacts.add({ name: address, addresses: [address] }),
    rows: store.approvals,
    grants: store.grants,
    audit,
    redactor,
    now: Date.now,
    monotonic: () => performance.now(),
  })
}

/** Terminal and page poll the messages of a connection, so nothing is sent; no message of theirs is kept. */
const SAID_ON_REQUEST: Outlet = {
  say: () => Promise.resolve(),
  remove: () => Promise.resolve(true),
}

/** The form is at `localhost` rather than at the address. Called once per connection; only its link holds the key. */
function formAt(page: string, service: string): string {
  return `http://localhost:${new URL(page).port}/credential/${service}/${createToken()}`
}

/** Logs a bug that ends the process, wherever its output goes. Returns a function that stops watching. */
function logCrashes(log: Log): () => void {
  const write = (error: Error) => log.error('Cordon ends because of a bug', { error })
  process.on('uncaughtExceptionMonitor', write)
  return () => process.off('uncaughtExceptionMonitor', write)
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
  const { sessions } = store
  const socketPath = home.paths.socket
  return await openWeb({ owner: OWNER.id, sessions, audit, log, socketPath, port, now: Date.now })
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

function refuseLink(): never {
  throw new CordonError(
    'main.no-page',
    { exit: 5, hint: 'Run `cordon up`, then `cordon open`' },
    'Cannot make a link: this process serves no page',
  )
}
