/**
 * Turns a definition that runs a package by `npx` into one that runs the installed program, with the catalog's hosts and
 * settings where the file says nothing. Reads the facts of an installed image, and nothing else. A project's definition gets the program only: the owner trusted the hosts
 * that were shown of it, and nothing in it vouches for itself.
 */
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { CordonError } from '../../kernel/error.ts'
import type { SecretRef } from '../../kernel/secret-ref.ts'
import type { Service, ServiceLaunch } from '../../ports/service-facts.ts'
import { memoryBytes } from '../../text/memory-size.ts'
import type { RemoteBridge } from '../../text/remote-bridge.ts'
import { PYTHON_FLAGS } from '../../text/python-flags.ts'
import { commandOf, readFacts, rootOf } from '../images/image-facts.ts'
import { type ImageLaunch, tagOf } from '../images/wanted-image.ts'
import type { PackagePin } from './package-pins.ts'

/** A launch that is installed first. */
export type PackageLaunch = Extract<ServiceLaunch, { kind: 'npm' | 'pypi' | 'image' }>

/** The definition with the catalog's facts about its package. */
export function withCatalogFacts(definition: ServerDefinition, service: Service): ServerDefinition {
  if (service.origin !== 'catalog' || isGuest(definition)) return definition
  const { sandbox, hostsUnsaid = false, env, source } = definition
  const isOwnSource = source !== undefined && source.kind !== 'manual'
  return {
    ...definition,
    ...(hostsUnsaid && { allowedDomains: service.domains }),
    env: { ...service.env, ...env },
    sandbox: {
      ...sandbox,
      memoryLimitBytes: memoryFor(definition, service),
      ...(service.keepsData && { keepsData: true }),
      ...(service.startsBrowser && { startsBrowser: true }),
      ...foldersOf(definition, service),
    },
    source: isOwnSource ? source : { kind: 'catalog', name: service.slug },
  }
}

/** More than the owner's limit for all servers, if the service is known to need it; never more than its own file says. */
function memoryFor({ limits, sandbox }: ServerDefinition, { memoryLimit }: Service): number {
  const isSaid = limits?.memoryBytes?.from === 'server'
  if (isSaid || memoryLimit === undefined) return sandbox.memoryLimitBytes
  return Math.max(sandbox.memoryLimitBytes, memoryBytes(memoryLimit))
}

/**
 * The folders in the line of a server that works in folders, where the file names none: to read, since the line does not
 * say that they may be changed.
 */
function foldersOf(
  { sandbox, args }: ServerDefinition,
  { credentials }: Service,
): Pick<ServerDefinition['sandbox'], 'readPaths'> | undefined {
  const isWanted = credentials.some(({ place }) => place === 'folders')
  if (!isWanted || sandbox.readPaths.length + sandbox.writePaths.length > 0) return undefined
  return { readPaths: args.filter((arg) => arg.startsWith('/')) }
}

/** The definition as it is started: Cordon's own Node, or this machine's Python, with the program of the pinned package. */
export function withProgram(
  definition: ServerDefinition,
  launch: PackageLaunch,
  pin: PackagePin,
): ServerDefinition {
  const { package: identifier, version, integrity, entry } = pin
  if (launch.kind === 'image') return withImage(definition, launch, pin)
  const { kind, args } = launch
  return {
    ...definition,
    ...(kind === 'npm'
      ? { command: 'node', args: [entry, ...args] }
      : { command: 'python3', args: [PYTHON_FLAGS, entry, ...args] }),
    package: { kind, identifier, version, integrity },
  }
}

/** As the image says, in its own root file system. A folder is shown where the line wants it, if the file declares it. */
function withImage(
  definition: ServerDefinition,
  launch: ImageLaunch,
  { package: identifier, version, integrity, entry }: PackagePin,
): ServerDefinition {
  const facts = readFacts(entry)
  const [command = '', ...args] = commandOf(facts, launch)
  const { sandbox } = definition
  refuseUndeclared(definition, launch)
  const tag = tagOf(launch)
  return {
    ...definition,
    command,
    args,
    sandbox: { ...sandbox, image: rootOf(entry, facts, launch) },
    package: {
      kind: 'docker',
      identifier,
      version,
      integrity,
      ...(tag !== undefined && { tag }),
    },
  }
}

function refuseUndeclared(
  { id, sandbox: { readPaths, writePaths } }: ServerDefinition,
  { shownAt = {} }: ImageLaunch,
): void {
  const declared = new Set([...readPaths, ...writePaths])
  const missing = Object.keys(shownAt).find((folder) => !declared.has(folder))
  if (missing === undefined) return
  throw new CordonError(
    'catalog.undeclared',
    {
      exit: 2,
      hint: `Run \`cordon mcp edit ${id} --read ${missing}\`, or \`--write ${missing}\` if it may change it`,
    },
    `Cannot show ${JSON.stringify(missing)} to ${JSON.stringify(id)}: its line wants it, and its definition does not declare it`,
  )
}

/** `npx mcp-remote URL` as the remote server itself; undefined if a header holds more than one stored secret. */
export function withoutBridge(
  definition: ServerDefinition,
  { url, transport = 'stream-http', headers }: RemoteBridge,
): ServerDefinition | undefined {
  const { command: _command, auth: lent, env: _env, ...rest } = definition
  const auth: Record<string, SecretRef> = {}
  for (const [name, value] of Object.entries(headers)) {
    const variable = /^(?<bearer>Bearer )?\$\{(?<name>\w+)\}$/.exec(value)?.groups
    const ref = variable && lent[variable['name'] ?? '']
    if (!ref) return undefined
    auth[variable['bearer'] === undefined ? `header:${name}` : 'bearer'] = ref
  }
  const allowedDomains = [...new Set([...definition.allowedDomains, new URL(url).hostname])]
  return { ...rest, args: [], env: {}, auth, transport, url, allowedDomains }
}

/** A project's server runs under an id that no file can have. */
export function isGuest({ id }: Pick<ServerDefinition, 'id'>): boolean {
  return id.includes('~')
}
