/** Runs a program of an install in a sandbox: no home, no folder but those of the install, and at most the index's hosts. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ServerId } from '../../kernel/server-id.ts'
import type { PartFolder } from '../install/part-folder.ts'
import {
  type NpmParts,
  type NpmResult,
  NPM_MEMORY_BYTES,
  runGuarded,
  type NpmRun,
} from '../install/run-npm.ts'
import type { PythonIndex } from './python-index.ts'

export type InsideParts = Pick<NpmParts, 'sandbox' | 'egress'>

export interface InsideTask {
  readonly server: ServerId
  readonly part: PartFolder
  readonly command: 'node' | 'python3'
  readonly args: readonly string[]
  readonly writePaths?: readonly string[]
  /** Absent: no network. */
  readonly index?: PythonIndex
  readonly watch?: NonNullable<NpmRun['watch']>
  /** The index is named by somebody else than the owner: it is reached at public addresses only. */
  readonly isPublicOnly?: boolean
}

export async function runInside(
  parts: InsideParts,
  task: InsideTask,
  signal: AbortSignal,
): Promise<NpmResult> {
  const { server, part, command, args, index, writePaths = [], watch, isPublicOnly = false } = task
  const settings = {
    mode: 'bwrap',
    memoryLimitBytes: NPM_MEMORY_BYTES,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [part.notes],
    writePaths,
  } as const
  const environment = index ? await environmentFor(index, part) : {}
  const spec = {
    server,
    command,
    args: [...flagsFor(index), ...args],
    environment,
    settings,
    networked: index !== undefined,
  }
  const registry = index ?? NOWHERE
  const moreHosts = index?.moreHosts ?? []
  const run = { server, registry, moreHosts, isPublicOnly, ...(watch && { watch }) }
  return await runGuarded(parts, run, () => parts.sandbox.launch(spec, signal), signal)
}

/** Of Node, whose certificate store they choose. */
function flagsFor(index: PythonIndex | undefined): readonly string[] {
  if (index?.trust.isOnly) return ['--use-openssl-ca']
  return index?.trust.isIncomplete ? ['--use-system-ca'] : []
}

const NOWHERE = {
  host: '',
  port: 443,
  login: {},
  trust: { authorities: '', isOnly: false, isIncomplete: false },
} as const

async function environmentFor(
  { trust, login }: PythonIndex,
  part: PartFolder,
): Promise<Readonly<Record<string, string>>> {
  const file = path.join(part.notes, 'authorities.pem')
  await writeFile(file, trust.authorities, { mode: 0o644 })
  const store = trust.isOnly
    ? { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: '' }
    : { NODE_EXTRA_CA_CERTS: file }
  const { authorization } = login
  return {
    ...store,
    ...(authorization !== undefined && { CORDON_INDEX_AUTHORIZATION: authorization }),
  }
}
