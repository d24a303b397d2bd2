/**
 * The route by which the owner asks whether the packages of their servers have newer versions, or were withdrawn. Only
 * this question asks the registry: nothing looks by itself. What it finds is kept as a notice.
 */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { Definitions } from '../kernel/ports.ts'
import type { LoadedDefinition } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { Notice } from './notices.ts'
import { server } from './fields.ts'
import { noSuchServer } from './no-such-server.ts'
import type { Routes } from './route.ts'

export interface PackageUpdate {
  readonly server: string
  readonly package: string
  readonly version: string
  /** A newer version; untrusted. */
  readonly newer?: string
  /** Why the version in use should not be used: untrusted text of its publisher, or that it is gone. */
  readonly withdrawn?: string
  /** The version comes with Cordon, or was chosen by its catalog: a newer one needs nothing of the owner. */
  readonly isCordons: boolean
  /** Why the registry was not to be asked. */
  readonly problem?: string
}

export interface UpdateContract {
  /**
   * Open to the page: it names at most a server that is defined, and only reads the registry. Taking a newer version is
   * a connection, with its own questions.
   */
  'mcp.updates': {
    surface: 'any'
    input: { readonly server?: string }
    output: { readonly servers: readonly PackageUpdate[] }
  }
}

export interface UpdateDeps {
  readonly definitions: Pick<Definitions, 'load'>
  readonly packages: {
    news(
      used: {
        readonly server: ServerId
        readonly kind: 'npm' | 'pypi' | 'image'
        readonly name: string
        readonly version: string
        readonly tag?: string
      },
      signal: AbortSignal,
    ): Promise<{ readonly newer?: string; readonly withdrawn?: string }>
  }
  readonly notices: Noticing & {
    list(): Promise<readonly Pick<Notice, 'kind' | 'server' | 'items'>[]>
  }
}

/** The reason of a notice about a version that nobody has to take. */
const WITH_CORDON = 'a later Cordon brings it'

export function updateRoutes(deps: UpdateDeps): Routes<UpdateContract> {
  return {
    'mcp.updates': {
      surface: 'any',
      input: z.strictObject({ server: server.exactOptional() }),
      async handle({ server }, signal) {
        const all = (await deps.definitions.load()).servers
        const servers = all.filter(
          ({ definition: { id } }) => server === undefined || id === server,
        )
        if (server !== undefined && servers.length === 0) throw noSuchServer(server, all)
        const updates: PackageUpdate[] = []
        // One npm at a time: several of them would take all memory.
        for (const loaded of servers) updates.push(...(await lookUp(deps, loaded, signal)))
        return { servers: updates }
      },
    },
  }
}

const KINDS = { npm: 'npm', pypi: 'pypi', docker: 'image', http: undefined } as const

type Used = Omit<Parameters<UpdateDeps['packages']['news']>[0], 'server'>

/** Undefined also for an image that is named by its digest alone, which never moves. */
function usedPackage({ package: used }: LoadedDefinition['definition']): Used | undefined {
  const kind = used && KINDS[used.kind]
  if (kind === undefined || used?.version === undefined) return undefined
  const { identifier: name, version, tag } = used
  if (tag !== undefined) return { kind, name, version, tag }
  return kind === 'image' ? undefined : { kind, name, version }
}

async function lookUp(
  { packages, notices }: UpdateDeps,
  { definition }: LoadedDefinition,
  signal: AbortSignal,
): Promise<readonly PackageUpdate[]> {
  const { id, source } = definition
  const used = usedPackage(definition)
  if (!used) return []
  const { name, version } = used
  const isCordons = source?.kind === 'catalog'
  const known = { server: id, package: name, version, isCordons }
  try {
    const news = await packages.news({ server: id, ...used }, signal)
    await tell(notices, { ...known, ...news })
    return [{ ...known, ...news }]
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return [{ ...known, problem: error.why ?? error.message }]
  }
}

/** A version that an earlier look named is no longer told if this one does not; one that was seen stays seen. */
async function tell(notices: UpdateDeps['notices'], update: PackageUpdate): Promise<void> {
  const { server, package: name, version, newer, withdrawn, isCordons } = update
  const told = (await notices.list()).filter((one) => one.server === server)
  const settle = (kind: 'update' | 'withdrawn', item: string | undefined, reason: string): void => {
    const before = told.find((one) => one.kind === kind)?.items ?? []
    notices.resolve(
      kind,
      server,
      before.filter((one) => one !== item),
    )
    if (item !== undefined) notices.raise(kind, server, [item], reason)
  }
  settle('update', newer && `${name}@${newer}`, isCordons ? WITH_CORDON : '')
  settle('withdrawn', withdrawn && `${name}@${version}`, withdrawn ?? '')
}
