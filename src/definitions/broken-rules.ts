/**
 * Rules between several fields of a definition, one row each. Pure; a message says what was expected, never a value.
 */
import { isRemote, type ServerDefinition, type TransportKind } from '../kernel/server-definition.ts'
import { tunnelsIn } from '../text/tunnel.ts'

interface Rule {
  /** The key whose line the message points at. */
  readonly path: readonly string[]
  readonly message: string
  readonly isBroken: (definition: ServerDefinition) => boolean
}

const HEADER = /^header:[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const VARIABLE = /^[A-Za-z_]\w*$/
/** The placeholder that an import leaves for a secret it found among the arguments; see `settle-launch.ts`. */
const ARGUMENT_SECRET = /\$\{vault:[^}]+\}/

function isLocalPlace(transport: TransportKind): boolean {
  return transport === 'uds' || transport === 'pipe'
}

/** Servers reached over HTTP, whose credentials are headers instead of environment variables. */
function hasHeaders({ transport, httpPath }: ServerDefinition): boolean {
  return isRemote(transport) || httpPath !== undefined
}

function isStartedSocket({ transport, command }: ServerDefinition): boolean {
  return transport === 'uds' && command !== undefined
}

/** The folder is shown in the sandbox in place of what is there, so it holds nothing else. */
function hasOwnFolder({ socketPath = '' }: ServerDefinition): boolean {
  return /^\/(?:run|tmp)\/[\w.-]+\/[\w.-]+$/.test(socketPath) && !/\/\.{1,2}\//.test(socketPath)
}

function sealsOf({ sealed = {} }: ServerDefinition): readonly (readonly string[])[] {
  return Object.values(sealed)
}

/** Written alike, or a name below a wildcard. */
function isAmong(host: string, domains: readonly string[]): boolean {
  const [, ...above] = host.split('.')
  const wildcards = above.map((_, index) => `*.${above.slice(index).join('.')}`)
  return [host, ...wildcards].some((one) => domains.includes(one))
}

function hasFolders({ sandbox }: ServerDefinition): boolean {
  return sandbox.readPaths.length + sandbox.writePaths.length > 0
}

/** Each tunnel is a separate listener in every sandbox of the server. */
const MOST_TUNNELS = 16

const RULES: readonly Rule[] = [
  {
    path: ['server'],
    message: 'expected [server] with a command, or the url of a remote server',
    isBroken: ({ transport, command }) => transport === 'stdio' && command === undefined,
  },
  {
    path: ['url'],
    message: 'expected url, since the transport is a remote one',
    isBroken: ({ transport, url }) => isRemote(transport) && url === undefined,
  },
  {
    path: ['url'],
    message: 'expected no url, since the transport is a local one',
    isBroken: ({ transport, url }) => !isRemote(transport) && url !== undefined,
  },
  {
    path: ['server'],
    message: 'expected either url or [server], not both',
    isBroken: ({ transport, command }) => isRemote(transport) && command !== undefined,
  },
  {
    path: ['allowed_domains'],
    message: 'expected a host with a port only for a server that Cordon starts itself',
    isBroken: ({ command, allowedDomains }) =>
      command === undefined && tunnelsIn(allowedDomains).length > 0,
  },
  {
    path: ['allowed_domains'],
    message: `expected at most ${MOST_TUNNELS} hosts with a port`,
    isBroken: ({ allowedDomains }) => tunnelsIn(allowedDomains).length > MOST_TUNNELS,
  },
  {
    path: ['socket_path'],
    message: 'expected socket_path with an absolute path, since the transport is uds',
    isBroken: ({ transport, socketPath }) => transport === 'uds' && !socketPath?.startsWith('/'),
  },
  {
    path: ['server'],
    message: 'expected no [server]: Cordon starts no server behind a named pipe; use uds',
    isBroken: ({ transport, command }) => transport === 'pipe' && command !== undefined,
  },
  {
    path: ['socket_path'],
    message:
      'expected socket_path in a folder of its own below /run or /tmp, where Cordon starts it',
    isBroken: (definition) => isStartedSocket(definition) && !hasOwnFolder(definition),
  },
  {
    path: ['sandbox'],
    message:
      'expected no folders for a server that listens on a socket: it could reach every socket in them',
    isBroken: (definition) => isStartedSocket(definition) && hasFolders(definition),
  },
  {
    path: ['sandbox'],
    message:
      'expected no folders for a server that starts a browser: it could reach every socket in them',
    isBroken: (definition) => definition.sandbox.startsBrowser === true && hasFolders(definition),
  },
  {
    path: ['http_path'],
    message: 'expected http_path only where the transport is uds or pipe',
    isBroken: ({ transport, httpPath }) => !isLocalPlace(transport) && httpPath !== undefined,
  },
  {
    path: ['dangerously_allow_http'],
    message: 'expected dangerously_allow_http only where the transport is a remote one',
    isBroken: ({ transport, dangerouslyAllowHttp }) =>
      !isRemote(transport) && dangerouslyAllowHttp === true,
  },
  {
    path: ['auth'],
    message: 'expected only bearer and "header:NAME" under [auth] of a remote server',
    isBroken: (definition) =>
      hasHeaders(definition) &&
      Object.keys(definition.auth).some((key) => key !== 'bearer' && !HEADER.test(key)),
  },
  {
    path: ['auth'],
    message: 'expected names of environment variables under [auth]',
    isBroken: (definition) =>
      !hasHeaders(definition) && Object.keys(definition.auth).some((key) => !VARIABLE.test(key)),
  },
  {
    path: ['auth'],
    message: 'expected sealed only for a variable of a server that Cordon starts in a sandbox',
    isBroken: (definition) =>
      sealsOf(definition).length > 0 &&
      (definition.command === undefined ||
        hasHeaders(definition) ||
        definition.sandbox.mode !== 'bwrap'),
  },
  {
    path: ['auth'],
    message: 'expected a sealed credential to have hosts, and each of them under allowed_domains',
    isBroken: (definition) =>
      sealsOf(definition).some(
        (hosts) =>
          hosts.length === 0 || hosts.some((host) => !isAmong(host, definition.allowedDomains)),
      ),
  },
  {
    path: ['env'],
    message: 'expected only "header:NAME" under [env] of a remote server, which has no environment',
    isBroken: (definition) =>
      hasHeaders(definition) && Object.keys(definition.env).some((key) => !HEADER.test(key)),
  },
  {
    path: ['env'],
    message: 'expected names of environment variables under [env]',
    isBroken: (definition) =>
      !hasHeaders(definition) && Object.keys(definition.env).some((key) => !VARIABLE.test(key)),
  },
  {
    path: ['env'],
    message: 'expected headers of one line under [env] of a remote server',
    isBroken: (definition) =>
      hasHeaders(definition) && Object.values(definition.env).some((value) => /[\r\n]/.test(value)),
  },
  {
    path: ['env'],
    message: 'expected each name either under [auth] or under [env], not in both',
    isBroken: ({ auth, env }) => Object.keys(env).some((key) => Object.hasOwn(auth, key)),
  },
  {
    path: ['server', 'args'],
    message:
      'expected no secret among the args: everyone on this machine can read a command line. Give it to the server as an environment variable under [auth], or set enabled = false',
    isBroken: ({ enabled, args }) => enabled && args.some((arg) => ARGUMENT_SECRET.test(arg)),
  },
]

export function brokenRules(definition: ServerDefinition): readonly Rule[] {
  return RULES.filter((rule) => rule.isBroken(definition))
}
