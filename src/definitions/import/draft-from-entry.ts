/** Converts the JSON shape of a server that most clients share (`command`, `args`, `env`, `url`, …) to a draft. */
import type { JsonObject } from '../../text/json.ts'
import { showText } from '../show-text.ts'
import { defined, type ServerDraft, textList, textMap, textOf } from './server-draft.ts'

/** Clients spell these keys differently; the first key present counts. */
const URL_KEYS = ['url', 'serverUrl', 'httpUrl']
const DISABLED_TOOLS_KEYS = ['disabledTools', 'excludeTools']

const CARRIED = new Set(
  'type transport command args env headers description version disabled enabled autostart token_env scopes socket_path'
    .split(' ')
    .concat(URL_KEYS, DISABLED_TOOLS_KEYS),
)

export function draftFromEntry(name: string, entry: JsonObject): ServerDraft {
  const url = URL_KEYS.map((key) => textOf(entry[key])).find((text) => text !== undefined)
  const lost = Object.keys(entry).filter((key) => !CARRIED.has(key))
  return {
    name,
    table: defined({
      description: textOf(entry['description']),
      transport: transportName(entry['transport'] ?? entry['type']),
      socket_path: textOf(entry['socket_path']),
      enabled: isDisabled(entry) ? false : undefined,
      start: startName(entry['autostart']),
      version: textOf(entry['version']),
      scopes: Array.isArray(entry['scopes']) ? textList(entry['scopes']) : undefined,
      tools: disabledTools(entry),
    }),
    command: textOf(entry['command']),
    args: textList(entry['args']),
    url,
    env: textMap(entry['env']),
    headers: textMap(entry['headers']),
    auth: tokenVariable(entry['token_env'], url !== undefined),
    config: {},
    notes: lost.length === 0 ? [] : [`not carried over: ${lost.map(showText).join(', ')}`],
  }
}

/**
 * `streamableHttp`, `streamable_http` and `streamable-http` are the same; the definition's check refuses unknown names.
 */
function transportName(value: unknown): string | undefined {
  return textOf(value)
    ?.replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/_/g, '-')
    .toLowerCase()
}

function isDisabled(entry: JsonObject): boolean {
  return entry['disabled'] === true || entry['enabled'] === false
}

function startName(autostart: unknown): string | undefined {
  if (typeof autostart !== 'boolean') return undefined
  return autostart ? 'eager' : 'lazy'
}

/** A tool that was disabled in the other client stays disabled. */
function disabledTools(entry: JsonObject): Record<string, { enabled: false }> | undefined {
  const names = DISABLED_TOOLS_KEYS.flatMap((key) => textList(entry[key]))
  if (names.length === 0) return undefined
  return Object.fromEntries(names.map((name) => [name, { enabled: false }]))
}

/** `token_env` names the variable that holds the credential; the value has to be stored instead. */
export function tokenVariable(value: unknown, isRemote: boolean): Readonly<Record<string, string>> {
  const name = textOf(value)
  return name === undefined ? {} : { [isRemote ? 'bearer' : name]: `\${env:${name}}` }
}
