/**
 * Adds, changes and removes one definition in the user scope, keeping the comments of the existing file. Never writes a
 * text that would not load again; every change is in the audit log before it is made.
 */
import { join } from 'node:path'
import type { DefinitionChanges } from '../kernel/definition-change.ts'
import { CordonError } from '../kernel/error.ts'
import type { Audit, DefinitionHashes, Files, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { LoadedDefinition, ServerDefinition } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { readDefinition } from './read-definition.ts'
import { hashBytes, readDefinitionFolder, readPlainFile } from './definition-folder.ts'
import { withCredentials } from './with-credentials.ts'
import { missingProgram } from './missing-program.ts'
import { namesSecret } from './names-secret.ts'
import { editToml, isTable, readToml, renderToml, type TomlTable } from './toml-file.ts'

export interface EditDeps {
  readonly owner: PrincipalId
  readonly userFolder: string
  readonly homeFolder: string
  readonly files: Pick<Files, 'write' | 'remove'>
  readonly hashes: Pick<DefinitionHashes, 'put' | 'forget'>
  readonly vault: Pick<Vault, 'list' | 'remove'>
  readonly audit: Pick<Audit, 'appendDurable'>
  /** The reason why a server may not be shown a path; undefined if it may. */
  judgePath(wanted: string, use: 'read' | 'write'): string | undefined
}

export async function addDefinition(
  deps: EditDeps,
  server: ServerId,
  changes: DefinitionChanges,
): Promise<LoadedDefinition> {
  const path = pathOf(deps, server)
  if ((await readPlainFile(path)) !== undefined) throw taken(server)
  const text = newText(server, changes)
  return await write(deps, { server, path, text, changes, kind: 'servers.add' })
}

export async function editDefinition(
  deps: EditDeps,
  server: ServerId,
  changes: DefinitionChanges,
): Promise<LoadedDefinition> {
  const path = pathOf(deps, server)
  const text = await editedText(path, server, changes)
  return await write(deps, { server, path, text, changes, kind: 'servers.edit' })
}

function newText(server: ServerId, changes: DefinitionChanges): string {
  return renderToml(changed({ name: server }, changes))
}

async function editedText(
  path: string,
  server: ServerId,
  changes: DefinitionChanges,
): Promise<string> {
  const before = await readOwn(path, server)
  const reading = readToml(before)
  if (reading.kind === 'mistake') throw invalid(path, reading.message, reading.line)
  return editToml(before, changed(reading.table, changes))
}

/** Also removes the secrets that the definition names, unless another definition names them too. */
export async function removeDefinition(
  deps: EditDeps,
  server: ServerId,
  options: { readonly keepSecrets: boolean },
): Promise<{ readonly removedSecrets: readonly string[] }> {
  const path = pathOf(deps, server)
  const text = await readOwn(path, server)
  const others = (await readDefinitionFolder(deps.userFolder)).filter((file) => file.path !== path)
  const held = options.keepSecrets ? [] : await deps.vault.list(deps.owner)
  const removedSecrets = held
    .map(({ name }) => name)
    .filter((name) => namesSecret(text, name))
    .filter((name) => !others.some(({ content }) => namesSecret(content.toString(), name)))
  const details = { secrets: removedSecrets }
  const event = { kind: 'servers.remove', principal: deps.owner, subject: server, details } as const
  await deps.audit.appendDurable(event)
  await deps.files.remove(path)
  await deps.hashes.forget(path)
  for (const name of removedSecrets) await deps.vault.remove(deps.owner, name)
  return { removedSecrets }
}

interface Draft {
  readonly server: ServerId
  readonly path: string
  readonly text: string
  readonly changes: DefinitionChanges
  readonly kind: 'servers.add' | 'servers.edit'
}

async function write(deps: EditDeps, draft: Draft): Promise<LoadedDefinition> {
  const { server, path, text, changes, kind } = draft
  const { definition, warnings } = readBack(deps, path, text)
  refusePaths(deps, definition, changes)
  const hash = hashBytes(text)
  // The record lists every allowed host, including the implied one: the host of the server's own url.
  const details = { hash, hosts: [...definition.allowedDomains] }
  await deps.audit.appendDurable({ kind, principal: deps.owner, subject: server, details })
  await deps.hashes.put(path, hash)
  await deps.files.write(path, text)
  const missing = await missingProgram(definition)
  return { definition, scope: 'user', path, warnings: [...warnings, ...missing] }
}

/** Refuses a new path at once that no launch would be allowed; a path that was there before stays. */
function refusePaths(
  deps: EditDeps,
  { sandbox: { readPaths, writePaths } }: ServerDefinition,
  changes: DefinitionChanges,
): void {
  const named = [
    ...(changes.readPaths ? readPaths.map((one) => [one, 'read'] as const) : []),
    ...(changes.writePaths ? writePaths.map((one) => [one, 'write'] as const) : []),
  ]
  for (const [wanted, use] of named) {
    const reason = deps.judgePath(wanted, use)
    if (reason !== undefined) throw noPath(wanted, reason)
  }
}

function readBack({ homeFolder }: Pick<EditDeps, 'homeFolder'>, path: string, text: string) {
  const reading = readDefinition(path, text, homeFolder)
  if (reading.kind !== 'problems') return reading
  const [problem] = reading.problems
  throw invalid(path, problem?.message ?? 'not a definition', undefined)
}

/** Each field of `DefinitionChanges` and its key path in the file. */
const FIELDS = {
  name: ['name'],
  description: ['description'],
  label: ['label'],
  allowedDomains: ['allowed_domains'],
  transport: ['transport'],
  url: ['url'],
  socketPath: ['socket_path'],
  httpPath: ['http_path'],
  dangerouslyAllowHttp: ['dangerously_allow_http'],
  enabled: ['enabled'],
  disabledReason: ['disabled_reason'],
  start: ['start'],
  version: ['version'],
  command: ['server', 'command'],
  args: ['server', 'args'],
  memoryLimit: ['limits', 'memory'],
  idle: ['limits', 'idle'],
  restarts: ['limits', 'restarts'],
  callTimeout: ['limits', 'call_timeout'],
  readPaths: ['sandbox', 'read_paths'],
  writePaths: ['sandbox', 'write_paths'],
  keepsData: ['sandbox', 'keeps_data'],
  startsBrowser: ['sandbox', 'starts_browser'],
} as const satisfies Partial<Record<keyof DefinitionChanges, readonly string[]>>

function changed(table: TomlTable, changes: DefinitionChanges): TomlTable {
  const result = withSections(withFields(withoutOld(table, changes), changes), changes)
  const { source, package: from, tools, ownTools } = changes
  return {
    ...result,
    ...(source && { source: snakeKeys(source) }),
    ...(from && { package: snakeKeys(from) }),
    // Existing tool entries win over the new ones: the owner may have written them.
    ...(tools && { tools: { ...(tools as TomlTable), ...tableAt(result, 'tools') } }),
    ...(ownTools && { tools: joined(tableAt(result, 'tools'), ownTools) }),
  }
}

function withFields(table: TomlTable, changes: DefinitionChanges): TomlTable {
  let result = table
  for (const [field, [first, second]] of Object.entries(FIELDS) as [
    keyof typeof FIELDS,
    readonly [string, string?],
  ][]) {
    const value = changes[field]
    if (value === undefined) continue
    if (first === 'limits' && value === 'default') result = withoutKey(result, first, second ?? '')
    else if (second === undefined) result = { ...result, [first]: value }
    else result = { ...result, [first]: { ...tableAt(result, first), [second]: value } }
  }
  return result
}

function withSections(table: TomlTable, changes: DefinitionChanges): TomlTable {
  const result = withCredentials(table, changes)
  return changes.env ? { ...result, env: { ...tableAt(result, 'env'), ...changes.env } } : result
}

/**
 * The reason belongs to the definition as it was disabled: switching it on or off anew drops it. A new limit of memory
 * replaces its older spelling.
 */
function withoutOld(table: TomlTable, { enabled, memoryLimit }: DefinitionChanges): TomlTable {
  const kept = memoryLimit === undefined ? table : withoutKey(table, 'sandbox', 'memory_limit')
  const { disabled_reason: _reason, ...rest } = kept
  return enabled === undefined ? kept : rest
}

function withoutKey(table: TomlTable, section: string, key: string): TomlTable {
  const { [section]: _section, ...others } = table
  const { [key]: _key, ...rest } = tableAt(table, section)
  return Object.keys(rest).length > 0 ? { ...table, [section]: rest } : others
}

/** Merges tables recursively; any other value is replaced. */
function joined(table: TomlTable, by: TomlTable): TomlTable {
  const entries = Object.entries(by).map(([key, value]) => {
    return [key, isTable(value) ? joined(tableAt(table, key), value) : value] as const
  })
  return { ...table, ...Object.fromEntries(entries) }
}

/** `qualifiedName` becomes `qualified_name`. */
function snakeKeys(value: object): TomlTable {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      item as TomlTable[string],
    ]),
  )
}

function tableAt(table: TomlTable, key: string): TomlTable {
  const value = table[key]
  return isTable(value) ? value : {}
}

function pathOf({ userFolder }: Pick<EditDeps, 'userFolder'>, server: ServerId): string {
  return join(userFolder, `${server}.toml`)
}

async function readOwn(path: string, server: ServerId): Promise<string> {
  const content = await readPlainFile(path)
  if (Buffer.isBuffer(content)) return content.toString()
  throw new CordonError(
    'servers.not-yours',
    {
      exit: 2,
      hint: 'Run `cordon mcp list`: only servers of the scope "user" can be changed here',
    },
    `Cannot change server ${JSON.stringify(server)}: there is no such file of yours`,
  )
}

function noPath(wanted: string, reason: string): CordonError {
  return new CordonError(
    'servers.path',
    { exit: 2, hint: 'Name a folder that holds only what the server needs' },
    `Cannot give ${JSON.stringify(wanted)} to a server: ${reason}`,
  )
}

function taken(server: ServerId): CordonError {
  return new CordonError(
    'servers.taken',
    { exit: 2, hint: `Choose another name, or change it with \`cordon mcp edit ${server}\`` },
    `Cannot add server ${JSON.stringify(server)}: the name is taken`,
  )
}

function invalid(path: string, problem: string, line: number | undefined): CordonError {
  const place = line === undefined ? path : `${path}:${line}`
  return new CordonError(
    'servers.invalid',
    { exit: 2, hint: 'See docs/servers.md for the fields and what they take' },
    `Cannot write ${JSON.stringify(place)}: ${problem}`,
  )
}
