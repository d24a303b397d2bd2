/**
 * The API's implementation over the ports: what page, command line and chat can ask of the kernel.
 * Every input is checked here, once, whichever way it came. Holds no rules of its own.
 */
import type {
  Api,
  Input,
  KernelStatus,
  Output,
  Route,
  ServerDetails,
  ServerSummary,
} from './api.ts'
import { parseInput } from './api-inputs.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { CordonError } from './error.ts'
import type { Audit, Definitions, Vault } from './ports.ts'
import { OWNER } from './principal.ts'
import { receive, type Taker } from './receive.ts'
import { showSecretRef } from './secret-ref.ts'
import type { LoadedDefinition } from './server-definition.ts'

export interface ApiRooms {
  readonly vault: Vault
  readonly audit: Audit
  readonly definitions: Definitions
  readonly takers: readonly Taker[]
  readonly facts: Omit<KernelStatus, 'vault' | 'servers' | 'page' | 'auditDamage'>
  page(): string | null
  createLink(): { readonly url: string; readonly expiresAt: string }
  doctor(signal: AbortSignal): Promise<readonly DoctorCheck[]>
  /** Begins the kernel's orderly end; this answer still gets out. */
  stop(): void
}

type Handlers = {
  readonly [R in Route]: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>>
}

export function createApi(rooms: ApiRooms): Api {
  const handlers: Handlers = {
    ...kernelHandlers(rooms),
    ...vaultHandlers(rooms.vault),
    ...auditHandlers(rooms.audit),
    ...serverHandlers(rooms),
  }
  const never = new AbortController().signal
  return {
    async call(route, input, signal = never) {
      return await handlers[route](parseInput(route, input), signal)
    },
  }
}

type Part<Prefix extends string> = Pick<Handlers, Extract<Route, `${Prefix}.${string}`>>

function kernelHandlers(
  rooms: ApiRooms,
): Pick<Handlers, 'ping' | 'status' | 'down' | 'doctor'> & Part<'page' | 'chat'> {
  return {
    ping: async () => ({ version: rooms.facts.version, pid: rooms.facts.pid }),
    status: async () => ({
      ...rooms.facts,
      page: rooms.page(),
      vault: await rooms.vault.status(),
      auditDamage: rooms.audit.damage ?? null,
      servers: await rooms.definitions.count(OWNER.id),
    }),
    down: async () => {
      rooms.stop()
      return { pid: rooms.facts.pid }
    },
    doctor: async (_input, signal) => ({ checks: await rooms.doctor(signal) }),
    'page.link': async () => rooms.createLink(),
    'chat.send': async ({ text }, signal) => {
      const reply = await receive(rooms.takers, { principal: OWNER, text }, signal)
      return { reply: reply.kind === 'text' ? reply.text : UNANSWERED }
    },
  }
}

const UNANSWERED =
  'I cannot answer that yet. To bring your servers in, run `cordon mcp migrate --from FILE`; `cordon --help` shows the rest.'

function vaultHandlers(vault: Vault): Part<'vault'> {
  return {
    'vault.status': () => vault.status(),
    'vault.init': ({ source, passphrase }) => vault.init(source, passphrase),
    'vault.unlock': ({ passphrase }) => vault.unlock(passphrase),
    'vault.lock': () => vault.lock(),
    'vault.list': async () => ({ secrets: await vault.list(OWNER.id) }),
    'vault.set': async ({ name, value }) => {
      const bytes = Buffer.from(value)
      try {
        return { name, ...(await vault.set(OWNER.id, name, bytes)) }
      } finally {
        bytes.fill(0)
      }
    },
    'vault.remove': async ({ name }) => ({ name, ...(await vault.remove(OWNER.id, name)) }),
    'vault.rotate': ({ passphrase }) => vault.rotate(passphrase),
  }
}

function auditHandlers(audit: Audit): Part<'audit'> {
  return {
    'audit.read': async (window) => ({ records: await audit.read(window) }),
    'audit.search': async (query) => ({ records: await audit.search(query) }),
    'audit.verify': ({ head }) => audit.verify(head),
    'audit.reseal': () => audit.reseal(OWNER.id),
  }
}

function serverHandlers({ definitions, vault }: ApiRooms): Part<'mcp'> {
  return {
    'mcp.list': async ({ workingFolder }) => {
      const listing = await definitions.load(OWNER.id, workingFolder)
      return { ...listing, servers: listing.servers.map(summarise) }
    },
    'mcp.show': async ({ server, workingFolder }) => {
      const { servers } = await definitions.load(OWNER.id, workingFolder)
      const loaded = servers.find(({ definition }) => definition.id === server)
      if (!loaded) throw noSuchServer(server)
      return await detail(loaded, vault)
    },
    'mcp.migrate': (request) => definitions.migrate(OWNER.id, request),
    'mcp.undo': ({ importId }) => definitions.undo(OWNER.id, importId),
    'mcp.trust': ({ folder }) => definitions.trustProject(OWNER.id, folder),
    'mcp.untrust': async ({ folder }) => {
      await definitions.untrustProject(OWNER.id, folder)
      return {}
    },
  }
}

function summarise({ definition, scope, path, warnings }: LoadedDefinition): ServerSummary {
  const { id, name, description, transport, label, allowedDomains } = definition
  const status = definition.enabled ? 'idle' : 'disabled'
  const shown = { server: id, name, description, transport, label, allowedDomains }
  return { ...shown, status, scope, path, warnings }
}

async function detail(loaded: LoadedDefinition, vault: Vault): Promise<ServerDetails> {
  const { definition } = loaded
  const { command, args, url, start, version, scopes } = definition
  const { mode, memoryLimitBytes, readOnlyFs, allowTmp } = definition.sandbox
  const credentials = Object.entries(definition.auth).map(async ([key, ref]) => ({
    key,
    ref: showSecretRef(ref),
    present: await vault.resolves(OWNER.id, ref),
  }))
  return {
    ...summarise(loaded),
    ...(command !== undefined && { command }),
    args,
    ...(url !== undefined && { url }),
    ...(start !== undefined && { start }),
    ...(version !== undefined && { version }),
    scopes,
    sandbox: { mode, memoryLimitBytes, readOnlyFs, allowTmp },
    credentials: await Promise.all(credentials),
  }
}

function noSuchServer(server: string): CordonError {
  return new CordonError(
    'kernel.no-server',
    { exit: 2, hint: 'Run `cordon mcp list` to see the servers there are' },
    `Cannot find server ${JSON.stringify(server)}`,
  )
}
