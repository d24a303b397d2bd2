/** The fields of a `mcp/<slug>.toml`, their defaults, and how they become a definition. Pure; knows no file. */
import { z } from 'zod'
import { parseSecretRef, type SecretRef } from '../kernel/secret-ref.ts'
import {
  SEMANTICS,
  type ServerDefinition,
  type TransportKind,
} from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { ROLES } from '../kernel/tool-facts.ts'
import { isRemote } from '../kernel/server-definition.ts'
import {
  DEFAULT_LIMITS,
  LIMIT_KEYS,
  type ServerLimits,
  type SetLimit,
} from '../text/server-limits.ts'
import { namesIn } from '../text/tunnel.ts'
import * as shape from './field-shapes.ts'
import { sandboxSettings } from './sandbox-settings.ts'
import type { TomlTable } from './toml-file.ts'

/** Every spelling of a transport in the imported formats, mapped to Cordon's own. */
const TRANSPORTS = {
  stdio: 'stdio',
  uds: 'uds',
  pipe: 'pipe',
  sse: 'sse',
  'stream-http': 'stream-http',
  http: 'stream-http',
  'streamable-http': 'stream-http',
} as const satisfies Readonly<Record<string, TransportKind>>

const SERVER = z.strictObject({
  command: shape.line,
  args: z.array(shape.argument).default([]),
})

const SANDBOX = z.strictObject({
  mode: z.enum(['bwrap', 'container', 'none']).exactOptional(),
  /** The older spelling of `memory` under `[limits]`. */
  memory_limit: shape.limit(LIMIT_KEYS.memory).exactOptional(),
  read_only_fs: z.boolean().default(true),
  allow_tmp: z.boolean().default(true),
  keeps_data: z.boolean().default(false),
  starts_browser: z.boolean().default(false),
  watch_opening: z.boolean().default(false),
  own_ports: z.boolean().default(false),
  read_paths: z.array(shape.path).default([]),
  write_paths: z.array(shape.path).default([]),
})

const SOURCES = [
  z.strictObject({
    kind: z.literal('official'),
    name: shape.line,
    version: shape.line.exactOptional(),
  }),
  z.strictObject({ kind: z.literal('smithery'), qualified_name: shape.line }),
  z.strictObject({ kind: z.literal('catalog'), name: shape.line }),
  z.strictObject({ kind: z.literal('manual'), url: shape.line.exactOptional() }),
] as const

const PACKAGE = z.strictObject({
  kind: z.enum(['npm', 'docker', 'pypi', 'http']),
  identifier: shape.line,
  version: shape.line.exactOptional(),
  integrity: shape.line.exactOptional(),
  scripts: z.literal('allowed').exactOptional(),
  runtime_hint: shape.line.exactOptional(),
})

const TOOL = z.strictObject({
  semantics: z.enum(SEMANTICS).exactOptional(),
  hints: z.literal('ignored').exactOptional(),
  enabled: z.boolean().exactOptional(),
  description: shape.prose.exactOptional(),
  roles: z.record(z.string(), z.enum(ROLES)).exactOptional(),
  answers: z.literal('json').exactOptional(),
  fields: z.array(shape.fieldPath).exactOptional(),
  directory: z.array(shape.fieldPath).exactOptional(),
})

const FILE = z.strictObject({
  name: shape.line.exactOptional(),
  description: shape.prose.default(''),
  // "secret" is a level too, but only values from the vault have it.
  label: z.enum(['public', 'internal', 'sensitive', 'regulated']).default('sensitive'),
  allowed_domains: z.array(shape.domain).exactOptional(),
  transport: z
    .enum(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])
    .transform((spelling): TransportKind => TRANSPORTS[spelling])
    .exactOptional(),
  url: shape.url.exactOptional(),
  dangerously_allow_http: z.boolean().exactOptional(),
  socket_path: shape.line.exactOptional(),
  http_path: shape.line
    .refine((text) => text.startsWith('/'), 'expected a path from "/"')
    .exactOptional(),
  enabled: z.boolean().default(true),
  disabled_reason: shape.line.exactOptional(),
  start: z.enum(['eager', 'lazy']).exactOptional(),
  autostart: z.boolean().exactOptional(),
  version: shape.line.exactOptional(),
  scopes: z.array(shape.line).default([]),
  token_env: shape.variable.exactOptional(),
  server: SERVER.exactOptional(),
  auth: z.record(z.string(), shape.credential).default({}),
  env: z.record(z.string(), shape.setting).default({}),
  sandbox: SANDBOX.prefault({}),
  limits: shape.limits.default({}),
  source: z.discriminatedUnion('kind', SOURCES).exactOptional(),
  package: PACKAGE.exactOptional(),
  tools: z.record(z.string(), TOOL).default({}),
  config: z.record(z.string(), z.json()).default({}),
})
type Written = z.output<typeof FILE>

const WHOLE = FILE.refine(
  ({ limits, sandbox }) => limits['memory'] === undefined || sandbox.memory_limit === undefined,
  {
    path: ['limits', 'memory'],
    message: 'expected one limit: it stands under [sandbox] as memory_limit, too',
  },
)

/** The known keys of the file itself (under the empty name) and of each section. */
export const KNOWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(FILE.shape),
  server: Object.keys(SERVER.shape),
  sandbox: Object.keys(SANDBOX.shape),
  limits: Object.keys(LIMIT_KEYS),
  source: SOURCES.flatMap((source) => Object.keys(source.shape)),
  package: Object.keys(PACKAGE.shape),
  tools: Object.keys(TOOL.shape),
}

export interface FieldIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** Set if the only fault is that the table at `path` has these unknown keys. */
  readonly unknownKeys?: readonly string[]
}

export type FieldsReading =
  | { readonly kind: 'definition'; readonly definition: ServerDefinition }
  | { readonly kind: 'issues'; readonly issues: readonly FieldIssue[] }

export function readFields(id: ServerId, table: TomlTable, homeFolder: string): FieldsReading {
  const result = WHOLE.safeParse(table, { error: expectation })
  if (result.success) {
    return { kind: 'definition', definition: assemble(id, result.data, homeFolder) }
  }
  const issues = result.error.issues.map((issue) => ({
    path: issue.path,
    message: issue.message,
    ...(issue.code === 'unrecognized_keys' && { unknownKeys: issue.keys }),
  }))
  return { kind: 'issues', issues }
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'expected text in quotes',
  boolean: 'expected true or false',
  array: 'expected a list',
  object: 'expected a table',
  record: 'expected a table',
}

/** Replaces the schema checker's messages by plain ones; issues that are not listed keep the checker's message. */
function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return EXPECTED[issue.expected]
  if (issue.code === 'invalid_union' && issue.discriminator === undefined) {
    return 'expected text, numbers, true, false, lists and tables'
  }
  if (issue.code !== 'invalid_value') return undefined
  return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
}

function assemble(id: ServerId, written: Written, homeFolder: string): ServerDefinition {
  const transport = written.transport ?? (written.url === undefined ? 'stdio' : 'stream-http')
  const start = written.start ?? startFrom(written.autostart)
  const socketPath = written.socket_path ?? usualSocket(id, transport, written)
  return {
    id,
    name: written.name ?? id,
    description: written.description,
    label: written.label,
    transport,
    args: written.server?.args ?? [],
    allowedDomains: withOwnHost(written, transport),
    enabled: written.enabled,
    scopes: written.scopes,
    env: written.env,
    auth: credentials(written, transport),
    ...sealedOf(written, transport),
    ...limitsOf(written),
    sandbox: sandboxOf(written, homeFolder),
    tools: written.tools,
    config: written.config,
    ...present({ command: written.server?.command, url: written.url, socketPath, start }),
    ...hostsUnsaid(written),
    ...present({
      dangerouslyAllowHttp: written.dangerously_allow_http,
      httpPath: written.http_path,
      version: written.version,
      disabledReason: written.disabled_reason,
      source: sourceOf(written),
      package: packageOf(written),
    }),
  }
}

function usualSocket(
  id: ServerId,
  transport: TransportKind,
  { server }: Written,
): string | undefined {
  if (transport === 'pipe') return `\\\\.\\pipe\\mcp-${id}`
  return transport === 'uds' && server ? `/run/mcp/${id}.sock` : undefined
}

/** Told apart from an empty list, which allows none. */
function hostsUnsaid({ allowed_domains: hosts }: Written): Pick<ServerDefinition, 'hostsUnsaid'> {
  return hosts === undefined ? { hostsUnsaid: true } : {}
}

function startFrom(autostart: boolean | undefined): 'eager' | 'lazy' | undefined {
  if (autostart === undefined) return undefined
  return autostart ? 'eager' : 'lazy'
}

/** The host of a remote server's own url is always allowed. */
function withOwnHost(written: Written, transport: TransportKind): readonly string[] {
  const own =
    isRemote(transport) && written.url !== undefined ? [new URL(written.url).hostname] : []
  return [...new Set([...(written.allowed_domains ?? []), ...own])]
}

/** `token_env` is the older spelling of a credential that is read from the host's environment. */
function credentials(written: Written, transport: TransportKind): Record<string, SecretRef> {
  const { token_env: variable } = written
  const older =
    variable === undefined
      ? {}
      : { [isRemote(transport) ? 'bearer' : variable]: { ref: `env:${variable}` } }
  const refs = Object.entries({ ...older, ...written.auth })
  return Object.fromEntries(refs.map(([key, { ref }]) => [key, parseSecretRef(ref)]))
}

/** Without hosts of its own, a sealed credential is told to every host that the server may reach by name. */
function sealedOf(written: Written, transport: TransportKind): Pick<ServerDefinition, 'sealed'> {
  const all = namesIn(withOwnHost(written, transport))
  const sealed = Object.entries(written.auth).flatMap(([key, one]) =>
    one.sealed ? [[key, one.hosts ?? all] as const] : [],
  )
  return sealed.length > 0 ? { sealed: Object.fromEntries(sealed) } : {}
}

function sandboxOf(written: Written, homeFolder: string): ServerDefinition['sandbox'] {
  const memoryLimitBytes = memoryOf(written)?.value ?? DEFAULT_LIMITS.memoryBytes
  return { mode: 'bwrap', memoryLimitBytes, ...sandboxSettings(written.sandbox, homeFolder) }
}

function memoryOf({ limits, sandbox }: Written): SetLimit | undefined {
  return limits['memory'] ?? sandbox.memory_limit
}

function limitsOf(written: Written): Pick<ServerDefinition, 'limits'> {
  const memory = memoryOf(written)
  const set = Object.entries({ ...written.limits, ...(memory && { memory }) })
  const named = set.map(([key, limit]) => [LIMIT_KEYS[key as keyof typeof LIMIT_KEYS].name, limit])
  return named.length > 0 ? { limits: Object.fromEntries(named) as ServerLimits } : {}
}

function sourceOf({ source }: Written): ServerDefinition['source'] {
  if (source?.kind !== 'smithery') return source
  return { kind: 'smithery', qualifiedName: source.qualified_name }
}

function packageOf({ package: found }: Written): ServerDefinition['package'] {
  if (found === undefined) return undefined
  const { runtime_hint: runtimeHint, ...rest } = found
  return { ...rest, ...present({ runtimeHint }) }
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Drops fields that are undefined: an optional field is absent, never set to undefined. */
function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as Present<T>
}
