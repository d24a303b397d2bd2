/** One server as an entry of `mcps` in PersonalAgent's `config.json`. Pure. */
import { createHash } from 'node:crypto'
import {
  type DefinitionSource,
  isRemote,
  type ServerDefinition,
} from '../../kernel/server-definition.ts'
import type { JsonObject } from '../../text/json.ts'
import { variableFor, type WrittenEntry } from './client-entry.ts'

export function personalAgentEntry(definition: ServerDefinition): WrittenEntry {
  const { id, name, enabled, transport, source, config } = definition
  const from = packageOf(definition)
  if (!from) {
    return { kind: 'none', why: 'PersonalAgent starts packages, images and addresses only' }
  }
  const { auth, variables } = authOf(definition)
  const entry = {
    id: idFor(id),
    name,
    enabled,
    source: sourceOf(source),
    package: from,
    transport: isRemote(transport) ? 'http' : 'stdio',
    ...auth,
    config: { ...config },
  }
  return { kind: 'entry', entry, variables }
}

/** From the server's name, so that every export of a server has the same id (RFC 9562 §5.8). */
function idFor(server: string): string {
  const hash = createHash('sha256').update(`cordon:${server}`).digest('hex')
  const digits = `${hash.slice(0, 12)}8${hash.slice(13, 16)}8${hash.slice(17, 32)}`
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const RUNNERS: Readonly<Record<string, string>> = { npm: 'npx', pypi: 'uvx' }

function packageOf({ transport, url, package: from }: ServerDefinition): JsonObject | undefined {
  if (isRemote(transport)) return { type: 'http', identifier: url ?? '' }
  const runner = from && RUNNERS[from.kind]
  if (from && runner !== undefined) {
    return {
      type: from.kind,
      identifier: from.identifier,
      runtime_hint: from.runtimeHint ?? runner,
    }
  }
  return from?.kind === 'docker' ? { type: 'docker', identifier: from.identifier } : undefined
}

function sourceOf(source: DefinitionSource | undefined): JsonObject {
  if (source?.kind === 'official') {
    const { name, version = '' } = source
    return { type: 'official', name, version }
  }
  if (source?.kind === 'smithery') {
    return { type: 'smithery', qualified_name: source.qualifiedName }
  }
  return { type: 'manual', url: source?.kind === 'manual' ? (source.url ?? '') : '' }
}

/** `keyfile_path` is there only for a key file; the variable has a place of its own only for a program. */
function authOf(definition: ServerDefinition): {
  readonly auth: JsonObject
  readonly variables: readonly string[]
} {
  const [first] = Object.entries(definition.auth)
  if (!first) return { auth: { auth_type: 'none' }, variables: [] }
  const [key, ref] = first
  const named = isRemote(definition.transport) ? {} : { env_vars: [{ name: key }] }
  if (ref.scheme === 'file') {
    return { auth: { auth_type: 'keyfile', keyfile_path: ref.name, ...named }, variables: [] }
  }
  const variables = Object.entries(definition.auth).map((one) => variableFor(definition, ...one))
  return { auth: { auth_type: ref.scheme === 'oauth' ? 'oauth' : 'api_key', ...named }, variables }
}
