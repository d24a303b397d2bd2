/**
 * The API's implementation over the ports: what page, command line and chat can ask of the kernel.
 * Every input is checked here, once, whichever way it came. Holds no rules of its own.
 */
import type { Api, Input, KernelStatus, Output, Route } from './api.ts'
import { parseInput } from './api-inputs.ts'
import { type ApprovalRooms, approvalHandlers } from './approval-handlers.ts'
import { type ConnectRooms, connectHandlers } from './connect-handlers.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { type FlowHandlerRooms, flowHandlers } from './flow-handlers.ts'
import type { Audit, Servers } from './ports.ts'
import { OWNER } from './principal.ts'
import { receive, type Taker } from './receive.ts'
import { type ServerRooms, serverHandlers } from './server-handlers.ts'
import { type ToolRooms, toolHandlers } from './tool-handlers.ts'

export interface ApiRooms
  extends ServerRooms,
    ConnectRooms,
    ToolRooms,
    ApprovalRooms,
    FlowHandlerRooms {
  readonly servers: Servers
  readonly audit: Audit
  readonly takers: readonly Taker[]
  readonly facts: Omit<KernelStatus, 'vault' | 'servers' | 'page' | 'notices' | 'auditDamage'>
  /** Undefined where this process serves none. */
  page(): Pick<KernelStatus, 'page' | 'notices'> | undefined
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
    ...vaultHandlers(rooms),
    ...auditHandlers(rooms.audit),
    ...serverHandlers(rooms),
    ...connectHandlers(rooms),
    ...toolHandlers(rooms),
    ...approvalHandlers(rooms),
    ...flowHandlers(rooms),
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
    status: async () => {
      const { page, notices } = rooms.page() ?? { page: null, notices: [] }
      return {
        ...rooms.facts,
        page,
        notices,
        vault: await rooms.vault.status(),
        auditDamage: rooms.audit.damage ?? null,
        servers: await rooms.definitions.count(OWNER.id),
      }
    },
    down: async () => {
      rooms.stop()
      return { pid: rooms.facts.pid }
    },
    doctor: async (_input, signal) => ({ checks: await rooms.doctor(signal) }),
    'page.link': async () => rooms.createLink(),
    'chat.send': async ({ text }, signal) => {
      const reply = await receive(rooms.takers, { principal: OWNER, text }, signal)
      const flow = rooms.setup.view(OWNER) ?? null
      if (reply.kind !== 'text') return { reply: UNANSWERED, wasSecret: false, flow }
      return { reply: reply.text, wasSecret: reply.wasSecret === true, flow }
    },
  }
}

const UNANSWERED =
  'I cannot answer that yet. Type `help` to see what I understand, for example: connect notion'

function vaultHandlers({ vault, servers }: ApiRooms): Part<'vault'> {
  return {
    'vault.status': () => vault.status(),
    'vault.init': ({ source, passphrase }) => vault.init(source, passphrase),
    'vault.unlock': async ({ passphrase }) => {
      const status = await vault.unlock(passphrase)
      // Servers that waited for a credential may start now.
      await servers.refresh(OWNER.id)
      return status
    },
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
