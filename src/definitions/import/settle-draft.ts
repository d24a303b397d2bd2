/**
 * Turns a draft into the text of a definition file, with its secrets taken out for the vault. The last step checks the
 * result: the text holds none of those secrets and no token of a known format.
 */
import { isSecretRef, parseSecretRef } from '../../kernel/secret-ref.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { KNOWN_KEYS } from '../definition-schema.ts'
import { readImportedToolOverrides } from './imported-tool-overrides.ts'
import { steersLoader } from '../steers-loader.ts'
import { holdsKnownToken, looksSecret } from '../../text/looks-secret.ts'
import {
  createImportedSecrets,
  type ImportedSecrets,
  type ImportedSecret,
} from './imported-secrets.ts'
import { defined, isObject, type ServerDraft } from './server-draft.ts'
import { showText } from '../show-text.ts'
import { type SettledArgs, settleArgs, settleUrl } from './settle-launch.ts'
import {
  joinParts,
  type SettledPart,
  settleAuth,
  settleEnv,
  settleHeaders,
  settleSettings,
} from './settle-values.ts'
import { editToml, renderToml, type TomlTable } from '../toml-file.ts'

export interface SettledDraft {
  readonly table: TomlTable
  readonly secrets: readonly ImportedSecret[]
  /** Vault names that the definition refers to and that the import brings no value for. */
  readonly wanted: readonly string[]
  /** The whole command line stands in the command and holds a secret. */
  readonly isCommandSecret: boolean
  readonly notes: readonly string[]
  /** Why it stays disabled, and what to do; empty if it does not. */
  readonly blocked: readonly string[]
}

export function settleDraft(
  draft: ServerDraft,
  server: ServerId,
  isTaken: (name: string) => boolean,
): SettledDraft {
  const imported = createImportedSecrets(server, isTaken)
  const { url, args, part } = settleParts(draft, server, imported)
  const words = readImportedToolOverrides(draft.table)
  const loader = Object.keys({ ...part.env, ...part.auth }).filter(steersLoader)
  const table = defined({
    name: draft.name,
    ...(url === undefined && { allowed_domains: [] }),
    ...draft.facts,
    ...draft.table,
    ...words.fields,
    ...(draft.facts && {
      source: draft.facts['source'],
      label: words.fields.label ?? draft.facts['label'],
    }),
    ...settleSettings(unknownFields(draft.table), [], imported),
    url,
    ...((args.blocked.length > 0 || loader.length > 0) && { enabled: false }),
    server: serverTable(draft, args.args),
    auth: unlessEmpty(part.auth),
    env: unlessEmpty(part.env),
    config: unlessEmpty(settleSettings(draft.config, ['config'], imported)),
  })
  return {
    table,
    secrets: imported.secrets,
    wanted: wantedNames(part.auth, imported.secrets),
    isCommandSecret: looksSecret('', draft.command ?? ''),
    notes: [
      ...draft.notes,
      ...words.notes,
      ...part.notes,
      ...(isOpenNowhere(table) && table['enabled'] !== false ? [noHosts(server)] : []),
    ],
    blocked: [...args.blocked, ...loader.map((name) => loaderNote(name, server))],
  }
}

interface SettledParts {
  readonly url: string | undefined
  readonly args: SettledArgs
  readonly part: SettledPart
}

/** Explicit credentials override those found in arguments, url and environment, so they are joined last. */
function settleParts(
  draft: ServerDraft,
  server: ServerId,
  imported: ImportedSecrets,
): SettledParts {
  const given = joinParts([
    settleHeaders(draft.headers, imported),
    settleAuth(draft.auth, server, imported),
  ])
  const token = draft.token && {
    auth: { [draft.token.key]: imported.keepToken(draft.token.document) },
    env: {},
    notes: [],
  }
  const args = settleArgs(draft.command ?? '', draft.args, imported)
  const last = [args, given, ...(token ? [token] : [])]
  if (draft.url === undefined) {
    return { url: undefined, args, part: joinParts([settleEnv(draft.env, imported), ...last]) }
  }
  const address = settleUrl(draft.url, 'bearer' in given.auth, imported)
  const part = joinParts([address, headersOnly(draft.env, imported), ...last])
  return { url: address.url, args, part }
}

function wantedNames(
  auth: SettledPart['auth'],
  secrets: readonly ImportedSecret[],
): readonly string[] {
  const brought = new Set(secrets.map(({ name }) => name))
  return Object.values(auth)
    .filter(isSecretRef)
    .map(parseSecretRef)
    .filter(({ scheme, name }) => scheme === 'vault' && !brought.has(name))
    .map(({ name }) => name)
}

function loaderNote(name: string, server: ServerId): string {
  return `disabled: ${showText(name)} decides which code it loads or whom it believes. Take it out of [env] if you do not know what it is for, then run \`cordon mcp enable ${server}\``
}

function noHosts(server: ServerId): string {
  return `no hosts allowed yet; \`cordon mcp edit ${server} --allow HOST\` adds one that it needs`
}

/** A shorter value (`postgres`) may also be an ordinary word of the file. */
const MIN_TELLING = 12

/** The text based on `base`, whose comments survive unless they hold a secret; undefined if a secret remains. */
export function renderSettled(settled: SettledDraft, base: string | undefined): string | undefined {
  const telling = settled.secrets.filter(({ value }) => value.length >= MIN_TELLING)
  const isClean = (text: string): boolean =>
    !holdsKnownToken(text) && !telling.some(({ value }) => text.includes(value))
  if (settled.isCommandSecret || !settled.notes.every(isClean)) return undefined
  const edited = base === undefined ? undefined : editToml(base, settled.table)
  if (edited !== undefined && isClean(edited)) return edited
  const plain = renderToml(settled.table)
  return isClean(plain) ? plain : undefined
}

function serverTable(draft: ServerDraft, args: readonly string[]): TomlTable | undefined {
  const rest = isObject(draft.table['server']) ? draft.table['server'] : {}
  return draft.command === undefined ? unlessEmpty(rest) : { ...rest, command: draft.command, args }
}

/** Unknown fields have no effect but are kept, so they must not hold a secret either. */
function unknownFields(table: TomlTable): TomlTable {
  const known = new Set(KNOWN_KEYS[''])
  return Object.fromEntries(Object.entries(table).filter(([key]) => !known.has(key)))
}

/** Cordon does not start a remote server, so it cannot set its environment; only header entries apply. */
function headersOnly(env: ServerDraft['env'], imported: ImportedSecrets): SettledPart {
  const isHeader = ([key]: readonly [string, string]): boolean => key.startsWith('header:')
  const lost = Object.entries(env).filter((entry) => !isHeader(entry))
  const part = settleEnv(Object.fromEntries(Object.entries(env).filter(isHeader)), imported)
  const names = lost.map(([name]) => showText(name)).join(', ')
  const note = `not carried over: ${names} (a remote server has no environment)`
  return lost.length === 0 ? part : { ...part, notes: [...part.notes, note] }
}

function isOpenNowhere(table: TomlTable): boolean {
  const domains = table['allowed_domains']
  return table['url'] === undefined && Array.isArray(domains) && domains.length === 0
}

function unlessEmpty(table: TomlTable): TomlTable | undefined {
  return Object.keys(table).length === 0 ? undefined : table
}
