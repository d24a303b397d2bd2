/** One server as the JSON of MCP clients (`command`, `args`, `env`, `url`, `headers`) and of pflow's `mcp.json`. Pure. */
import type { SecretRef } from '../../kernel/secret-ref.ts'
import {
  isRemote,
  type ServerDefinition,
  type ServerPackage,
} from '../../kernel/server-definition.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { imageLine } from '../../text/image-line.ts'
import { PYTHON_FLAGS } from '../../text/python-flags.ts'

export type WrittenEntry =
  | {
      readonly kind: 'entry'
      readonly entry: JsonObject
      /** The variables that the other program has to be given. */
      readonly variables: readonly string[]
    }
  /** The form of the other program cannot say this server. */
  | { readonly kind: 'none'; readonly why: string }

const HEADER = 'header:'

export function clientEntry(definition: ServerDefinition): WrittenEntry {
  const { transport, url, enabled, description } = definition
  if (transport === 'uds' || transport === 'pipe') return NO_SOCKET
  const { credentials, variables } = credentialsOf(definition)
  const rest = { ...(description !== '' && { description }), ...(!enabled && { disabled: true }) }
  const entry = isRemote(transport)
    ? { type: transport === 'sse' ? 'sse' : 'http', url: url ?? '', ...headersOf(definition) }
    : { ...launchOf(definition), ...some('env', { ...definition.env, ...credentials }) }
  return { kind: 'entry', entry: { ...entry, ...rest }, variables }
}

const NO_SOCKET = { kind: 'none', why: 'it is reached through a socket of this machine' } as const

/** C's fields: `transport`, `command`, `args`, `env`, `autostart`, `version`, `url`, `token_env`. */
export function pflowEntry(definition: ServerDefinition): WrittenEntry {
  const { transport, url, start, socketPath, enabled } = definition
  const { credentials, variables } = credentialsOf(definition)
  const [token, ...others] = variables
  const plain = Object.entries(definition.env).filter(([name]) => !name.startsWith(HEADER))
  const placed = Object.entries(credentials).filter(([, value]) => value !== `\${${token}}`)
  const env = Object.fromEntries([...plain, ...(isRemote(transport) ? [] : placed)])
  const version = versionOf(definition)
  const entry = {
    transport,
    ...(url === undefined ? launchOf(definition) : { url }),
    ...some('env', env),
    ...(start && { autostart: start === 'eager' }),
    ...(version !== undefined && { version }),
    ...(socketPath !== undefined && { socket_path: socketPath }),
    ...(token !== undefined && { token_env: token }),
    ...(!enabled && { enabled: false }),
  }
  return { kind: 'entry', entry, variables: token === undefined ? [] : [token, ...others] }
}

/** A package that Cordon installed is written as the line that runs it elsewhere, with its pinned version. */
export function launchOf(definition: ServerDefinition): JsonObject {
  const { command, args, package: from } = definition
  if (from?.kind === 'pypi') return pythonLine(definition, from)
  if (from?.kind === 'docker') return imageEntry(definition, from)
  if (from?.kind !== 'npm') return { ...(command !== undefined && { command }), ...list(args) }
  const identifier =
    from.version === undefined ? from.identifier : `${from.identifier}@${from.version}`
  return { command: 'npx', args: ['-y', identifier, ...ownArgs(definition)] }
}

/** `uvx`, with the program where its name is not that of the package. */
function pythonLine(definition: ServerDefinition, from: ServerPackage): JsonObject {
  const { command, args } = definition
  if (args[0] !== PYTHON_FLAGS) return { ...(command !== undefined && { command }), ...list(args) }
  const program = /([^/]+)\.py$/.exec(args[1] ?? '')?.[1] ?? from.identifier
  const version = from.version === undefined ? '' : `==${from.version}`
  return {
    command: 'uvx',
    args: ['--from', `${from.identifier}${version}`, program, ...args.slice(2)],
  }
}

/** The line of the file, or the one that starts the installed image elsewhere. */
function imageEntry(definition: ServerDefinition, from: ServerPackage): JsonObject {
  const { command, args, sandbox } = definition
  if (!sandbox.image) return { ...(command !== undefined && { command }), ...list(args) }
  const { shownAt } = sandbox.image
  const image = `${from.identifier}@${from.version ?? ''}`
  const names = Object.keys({ ...definition.env, ...definition.auth })
  const line = imageLine({ image, args, entrypoint: command, shownAt, names })
  return { command: 'docker', args: [...line] }
}

/** The arguments of the package's program, without those that only start it. */
function ownArgs({ command, args, package: from }: ServerDefinition): readonly string[] {
  if (command === 'node') return args.slice(1)
  const at = args.findIndex((word) => from !== undefined && word.startsWith(from.identifier))
  return at === -1 ? args : args.slice(at + 1)
}

export function versionOf({ package: from, version }: ServerDefinition): string | undefined {
  return from?.version ?? version
}

/** The variable that stands for each credential: `${NAME}`, under the key that the server reads. */
function credentialsOf(definition: ServerDefinition): {
  readonly credentials: Readonly<Record<string, string>>
  readonly variables: readonly string[]
} {
  const named = Object.entries(definition.auth).map(([key, ref]) => {
    return [key, variableFor(definition, key, ref)] as const
  })
  return {
    credentials: Object.fromEntries(named.map(([key, name]) => [key, `\${${name}}`])),
    variables: named.map(([, name]) => name),
  }
}

export function variableFor({ id }: ServerDefinition, key: string, ref: SecretRef): string {
  if (ref.scheme === 'env') return ref.name
  if (key !== 'bearer' && !key.startsWith(HEADER)) return key
  const words = key === 'bearer' ? `${id}_TOKEN` : `${id}_${key.slice(HEADER.length)}`
  return words.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
}

function headersOf(definition: ServerDefinition): JsonObject {
  const { credentials } = credentialsOf(definition)
  const own = Object.entries({ ...definition.env, ...credentials }).flatMap(
    ([key, value]): [string, Json][] => {
      if (key === 'bearer') return [['Authorization', `Bearer ${value}`]]
      return key.startsWith(HEADER) ? [[key.slice(HEADER.length), value]] : []
    },
  )
  return some('headers', Object.fromEntries(own))
}

function some(key: string, values: JsonObject): JsonObject {
  return Object.keys(values).length > 0 ? { [key]: values } : {}
}

function list(args: readonly string[]): JsonObject {
  return args.length > 0 ? { args: [...args] } : {}
}
