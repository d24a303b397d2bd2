/** Routes about the kernel itself: ping, status, shutdown, and the link that lets a browser in. */
import { z } from 'zod'
import type { DoctorCheck } from '../text/doctor-check.ts'
import type { Audit, Definitions, Vault } from '../kernel/ports.ts'
import type { VaultStatus } from '../kernel/vault-status.ts'
import { nothing } from './fields.ts'
import type { Notice, NoticeDeps } from './notices.ts'
import type { Nothing, Routes } from './route.ts'

export interface KernelStatus {
  readonly version: string
  readonly node: string
  readonly pid: number
  readonly home: string
  readonly startedAt: string
  readonly page: string | null
  /** Messages about this start, such as a port that was taken. */
  readonly notices: readonly string[]
  readonly store: 'sqlite' | 'postgresql'
  readonly vault: VaultStatus
  /** Why the audit log takes no records; null while it is intact. */
  readonly auditDamage: string | null
  readonly servers: number
  /** Notices to the owner that were not seen yet. */
  readonly unseen: readonly Pick<Notice, 'id' | 'server' | 'what' | 'hint' | 'count'>[]
}

export interface KernelContract {
  /** Answers at once, however busy the kernel is: clients use it to find out whether a kernel runs. */
  ping: {
    surface: 'any'
    input: Nothing
    output: { readonly version: string; readonly pid: number }
  }
  status: { surface: 'any'; input: Nothing; output: KernelStatus }
  /** `folder` is the one that the owner works in, which only a terminal may name. */
  doctor: {
    surface: 'any'
    input: { readonly folder?: string }
    output: { readonly checks: readonly DoctorCheck[] }
  }
  down: { input: Nothing; output: { readonly pid: number } }
  /** Lets another browser in, so no browser may ask for it. */
  'page.link': { input: Nothing; output: { readonly url: string; readonly expiresAt: string } }
}

export interface KernelDeps {
  readonly vault: Pick<Vault, 'status'>
  readonly audit: Pick<Audit, 'damage'>
  readonly definitions: Pick<Definitions, 'count'>
  readonly notices: Pick<NoticeDeps['notices'], 'list'>
  readonly facts: Omit<
    KernelStatus,
    'vault' | 'servers' | 'page' | 'notices' | 'auditDamage' | 'unseen'
  >
  /** Undefined if this process serves no page. */
  readonly page: Pick<KernelStatus, 'page' | 'notices'> | undefined
  createLink(): { readonly url: string; readonly expiresAt: string }
  doctor(at: { readonly folder?: string }, signal: AbortSignal): Promise<readonly DoctorCheck[]>
  /** Begins an orderly shutdown; this answer is still sent. */
  stop(): void
}

export function kernelRoutes(deps: KernelDeps): Routes<KernelContract> {
  return {
    ping: {
      surface: 'any',
      input: nothing,
      handle: async () => ({ version: deps.facts.version, pid: deps.facts.pid }),
    },
    status: { surface: 'any', input: nothing, handle: () => status(deps) },
    doctor: {
      surface: 'any',
      input: z.strictObject({ folder: z.string().min(1).max(4096).exactOptional() }),
      isForTerminal: ({ folder }) => folder !== undefined,
      handle: async (at, signal) => ({ checks: await deps.doctor(at, signal) }),
    },
    down: {
      surface: 'terminal',
      input: nothing,
      async handle() {
        deps.stop()
        return { pid: deps.facts.pid }
      },
    },
    'page.link': {
      surface: 'terminal',
      input: nothing,
      handle: async () => deps.createLink(),
    },
  }
}

async function status(deps: KernelDeps): Promise<KernelStatus> {
  const { page, notices } = deps.page ?? { page: null, notices: [] }
  return {
    ...deps.facts,
    page,
    notices,
    vault: await deps.vault.status(),
    auditDamage: deps.audit.damage ?? null,
    servers: await deps.definitions.count(),
    unseen: (await deps.notices.list())
      .filter(({ isSeen }) => !isSeen)
      .map(({ id, server, what, hint, count }) => ({ id, server, what, hint, count })),
  }
}
