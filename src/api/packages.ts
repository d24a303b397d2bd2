/** Routes about installed packages: their size, the servers that use them, and the removal of unused ones. */
import { basename } from 'node:path'
import { z } from 'zod'
import type { DefinitionListing, Definitions } from '../kernel/ports.ts'
import type { Setup } from '../ports/setup-port.ts'
import type { Upgrades } from '../ports/upgrade-port.ts'
import { isUnused } from '../text/is-unused.ts'
import { workingFolder } from './fields.ts'
import type { Routes } from './route.ts'

export interface PackageView {
  /** The name of its folder: `notion@2.5.2`. */
  readonly name: string
  /** `@notionhq/notion-mcp-server@2.5.2`; absent if the folder is damaged. */
  readonly package?: string
  readonly bytes: number
  /** The servers whose definitions start it. */
  readonly usedBy: readonly string[]
  /** The reason why it stays although no definition starts it. */
  readonly kept?: string
}

export interface PackageContract {
  'packages.list': {
    surface: 'any'
    input: { readonly workingFolder?: string }
    output: { readonly packages: readonly PackageView[] }
  }
  /** Removes those of these that no definition uses by now. */
  'packages.prune': {
    input: { readonly names: readonly string[]; readonly workingFolder?: string }
    output: { readonly removed: readonly string[]; readonly bytes: number }
  }
}

type Stored = Pick<PackageView, 'name' | 'package' | 'bytes'>

export interface PackageDeps {
  readonly packages: {
    list(): Promise<readonly Stored[]>
    /** False if there is no such package. */
    remove(name: string): Promise<boolean>
  }
  readonly definitions: Pick<Definitions, 'load'>
  readonly setup: Pick<Setup, 'view'>
  readonly upgrades: Pick<Upgrades, 'kept'>
}

export function packageRoutes(deps: PackageDeps): Routes<PackageContract> {
  const list = async (folder: string | undefined): Promise<readonly PackageView[]> => {
    const listing = await deps.definitions.load(folder)
    const stored = await deps.packages.list()
    const before = await deps.upgrades.kept()
    return stored.map((one) => viewOf(one, listing, deps.setup.view(), before.get(one.name)))
  }
  return {
    'packages.list': {
      surface: 'any',
      input: z.strictObject({ workingFolder }),
      handle: async (input) => ({ packages: await list(input.workingFolder) }),
    },
    'packages.prune': {
      input: z.strictObject({
        names: z.array(z.string().min(1).max(500)).max(10_000),
        workingFolder,
      }),
      async handle(input) {
        const unused = (await list(input.workingFolder)).filter(isUnused)
        const wanted = unused.filter(({ name }) => input.names.includes(name))
        const removed: PackageView[] = []
        for (const one of wanted) if (await deps.packages.remove(one.name)) removed.push(one)
        const bytes = removed.reduce((sum, one) => sum + one.bytes, 0)
        return { removed: removed.map(({ name }) => name), bytes }
      },
    },
  }
}

function viewOf(
  stored: Stored,
  { servers, problems }: DefinitionListing,
  connection: ReturnType<Setup['view']>,
  undoOf: string | undefined,
): PackageView {
  const { name } = stored
  const users = servers.filter(({ definition }) => isUsing(definition, name))
  const usedBy = users.map(({ definition, runsAs }) => runsAs ?? definition.id)
  const [base = ''] = name.split('@')
  // An image is named after itself, and any server may start it.
  const isImage = name.includes('@sha256-')
  // The accounts of a service share its package: `gmail-work` starts `gmail@1.0.0`.
  const isOf = (slug: string): boolean => isImage || slug === base || slug.startsWith(`${base}-`)
  // A definition that cannot be read, or is not written yet, may start it.
  const broken = problems.find((problem) => isOf(basename(problem.path, '.toml')))
  const isConnecting = connection && !ENDED.has(connection.phase) && isOf(connection.service)
  const kept = broken
    ? `${broken.path} cannot be read`
    : isConnecting
      ? 'being connected'
      : undoOf !== undefined
        ? `for \`cordon mcp upgrade ${undoOf} --undo\``
        : undefined
  return { ...stored, usedBy, ...(kept !== undefined && { kept }) }
}

const ENDED: ReadonlySet<string> = new Set(['connected', 'failed', 'cancelled'])

type Started = DefinitionListing['servers'][number]['definition']

/** A path counts as soon as the folder's name is a part of it: links may lead to the home by another path. */
function isUsing({ command = '', args, sandbox }: Started, name: string): boolean {
  const words = [command, ...args, ...sandbox.readPaths, sandbox.image?.root ?? '']
  return words.some((word) => word.split('/').includes(name))
}
