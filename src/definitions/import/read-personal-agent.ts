/**
 * Reads PersonalAgent's `config.json`: `mcps[]`, with API keys and OAuth token responses in `secrets/` beside it. Files
 * in `secrets/` are moved to the vault; a key file elsewhere is not read, since the config may name any file: the owner
 * is told how to store it.
 */
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { JsonObject } from '../../text/json.ts'
import { readPlainFile } from '../definition-folder.ts'
import { showText } from '../show-text.ts'
import { urlMistake } from '../url-mistake.ts'
import {
  defined,
  isObject,
  listOf,
  objectOf,
  type ServerDraft,
  type SourceFile,
  textOf,
} from './server-draft.ts'
import type { TomlTable } from '../toml-file.ts'

export interface PersonalAgentImport {
  readonly drafts: readonly ServerDraft[]
  readonly files: readonly SourceFile[]
  readonly notes: readonly string[]
}

/** The id becomes part of a file name, so only a UUID is accepted. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function readPersonalAgent(
  root: unknown,
  configPath: string,
): Promise<PersonalAgentImport | undefined> {
  const mcps = objectOf(root)['mcps']
  if (!Array.isArray(mcps)) return undefined
  const folder = join(dirname(configPath), 'secrets')
  const names = (await readdir(folder).catch((): string[] => [])).sort()
  const drafts: ServerDraft[] = []
  const files: SourceFile[] = []
  for (const entry of listOf(mcps).filter(isObject)) {
    const secrets = await readSecrets(folder, names, textOf(entry['id']) ?? '')
    files.push(...secrets.map(({ path, bytes }) => ({ path, bytes })))
    drafts.push(draftOf(entry, secrets))
  }
  return { drafts, files, notes: notesFor(objectOf(root)) }
}

/** Settings of the program itself, of which Cordon has its own: its models, and a key of a desktop. */
function notesFor({ version: _version, mcps: _mcps, ...rest }: JsonObject): readonly string[] {
  const lost = Object.entries(rest).filter(([, value]) => !isEmpty(value))
  const names = lost.map(([key]) => showText(key)).join(', ')
  return lost.length === 0 ? [] : [`not carried over, since no server has it: ${names}`]
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

interface StoredSecret extends SourceFile {
  /** `key`, `oauth`, or the variable of `mcp_{id}_{VARIABLE}.key`. */
  readonly label: string
}

async function readSecrets(
  folder: string,
  names: readonly string[],
  id: string,
): Promise<readonly StoredSecret[]> {
  if (!UUID.test(id)) return []
  const found = names.map(async (name): Promise<StoredSecret[]> => {
    const label = labelOf(name, `mcp_${id}`)
    if (label === undefined) return []
    const path = join(folder, name)
    const bytes = await readPlainFile(path)
    return Buffer.isBuffer(bytes) ? [{ path, bytes, label }] : []
  })
  return (await Promise.all(found)).flat()
}

function labelOf(name: string, stem: string): string | undefined {
  if (!name.startsWith(stem)) return undefined
  const rest = name.slice(stem.length)
  if (rest === '.key' || rest === '.oauth') return rest.slice(1)
  return /^_(?<variable>[A-Za-z_]\w*)\.key$/.exec(rest)?.groups?.['variable']
}

function draftOf(entry: JsonObject, secrets: readonly StoredSecret[]): ServerDraft {
  const name = textOf(entry['name']) ?? textOf(entry['id']) ?? ''
  const { package: installed, ...launch } = launchOf(objectOf(entry['package']))
  return {
    name,
    table: defined({
      transport: textOf(entry['transport']),
      enabled: entry['enabled'] === false ? false : undefined,
      source: sourceOf(objectOf(entry['source'])),
      package: installed,
    }),
    ...launch,
    env: {},
    headers: {},
    config: objectOf(entry['config']),
    ...credentialOf(entry, secrets, { name, isRemote: launch.url !== undefined }),
  }
}

type Launch = Pick<ServerDraft, 'command' | 'args' | 'url'> & { readonly package?: TomlTable }

function launchOf({ type: kind, identifier, runtime_hint }: JsonObject): Launch {
  const id = textOf(identifier) ?? ''
  if (kind === 'http') return { url: id, args: [] }
  const installed = defined({ kind, identifier, runtime_hint })
  return kind === 'docker'
    ? { command: 'docker', args: ['run', '-i', '--rm', id], package: installed }
    : { command: textOf(runtime_hint) ?? 'npx', args: ['-y', id], package: installed }
}

function sourceOf({ type: kind, name, version, qualified_name, url }: JsonObject): unknown {
  if (kind === undefined) return undefined
  const isClean = typeof url === 'string' && urlMistake(url) === undefined
  return defined({ kind, name, version, qualified_name, url: isClean ? url : undefined })
}

type Credential = Pick<ServerDraft, 'auth' | 'token'>

interface CredentialPlace {
  /** The environment variable, or `bearer`. */
  readonly key: string
  /** The server's files in `secrets/`, by label. */
  readonly stored: ReadonlyMap<string, string>
}

type CredentialReader = (place: CredentialPlace) => Credential

const UNNAMED: ReadonlySet<string> = new Set(['key', 'oauth'])

const readKeys: CredentialReader = ({ key, stored }) => {
  const named = Object.fromEntries([...stored].filter(([label]) => !UNNAMED.has(label)))
  if (!stored.has('key') && Object.keys(named).length > 0) return { auth: named }
  return { auth: { [key]: stored.get('key') ?? toBeAsked(key), ...named } }
}

const readToken: CredentialReader = ({ key, stored }) => {
  const document = stored.get('oauth') ?? ''
  if (!isTokenDocument(document)) return { auth: { [key]: toBeAsked(key) } }
  return { auth: {}, token: { key, document } }
}

/** By `auth_type`; `o_auth` is how Rust's snake_case spells `OAuth`. */
const CREDENTIALS: ReadonlyMap<string, CredentialReader> = new Map<string, CredentialReader>([
  ['none', () => ({ auth: {} })],
  ['api_key', readKeys],
  ['keyfile', ({ key }) => ({ auth: { [key]: toBeAsked(key) } })],
  ['oauth', readToken],
  ['o_auth', readToken],
])

/** A placeholder in the notation of other clients: the owner still has to enter this value. */
function toBeAsked(key: string): string {
  return `\${input:${key}}`
}

function isTokenDocument(text: string): boolean {
  try {
    return textOf(objectOf(JSON.parse(text))['access_token']) !== undefined
  } catch {
    return false
  }
}

interface Surroundings {
  readonly name: string
  readonly isRemote: boolean
}

function credentialOf(
  entry: JsonObject,
  secrets: readonly StoredSecret[],
  { name, isRemote }: Surroundings,
): Credential & Pick<ServerDraft, 'notes'> {
  const read = CREDENTIALS.get(textOf(entry['auth_type']) ?? 'none')
  if (read === undefined) return { auth: {}, notes: ['not carried over: auth_type'] }
  const { key, guess } = credentialKey(entry, name, isRemote)
  const credential = read({
    key,
    stored: new Map(secrets.map(({ label, bytes }) => [label, bytes.toString().trim()])),
  })
  const isUsed = key in credential.auth || credential.token !== undefined
  const notes = [...(isUsed && guess !== undefined ? [guess] : []), ...keyFileNote(entry)]
  return { ...credential, notes }
}

function keyFileNote(entry: JsonObject): readonly string[] {
  if (entry['auth_type'] !== 'keyfile') return []
  const file = showText(textOf(entry['keyfile_path']) ?? '')
  return [`its key file ${file} was not read; store what it holds in the vault`]
}

/** PersonalAgent took the variable from a registry and did not save it, so its name may have to be guessed. */
function credentialKey(
  entry: JsonObject,
  name: string,
  isRemote: boolean,
): { readonly key: string; readonly guess?: string } {
  if (isRemote) return { key: 'bearer' }
  const declared = textOf(objectOf(listOf(entry['env_vars'])[0])['name'])
  if (declared !== undefined) return { key: declared }
  const key = `${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_TOKEN`
  const guess = `the variable's name is a guess: rename ${key} under [auth] if the server expects another`
  return { key, guess }
}
