/** Sorts the values of a draft's environment, headers and settings: plain ones stay, secrets become references. */
import { isSecretRef } from '../../kernel/secret-ref.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { looksSecret } from '../../text/looks-secret.ts'
import type { ImportedSecrets } from './imported-secrets.ts'
import { isTable, type TomlTable } from '../toml-file.ts'
import { readForeignValue } from './foreign-value.ts'

type Texts = Readonly<Record<string, string>>

/** Part of a definition: entries for [auth], entries for [env], and notes for the owner. */
export interface SettledPart {
  readonly auth: Texts
  readonly env: Texts
  readonly notes: readonly string[]
}

const NOTHING: SettledPart = { auth: {}, env: {}, notes: [] }

export function joinParts(parts: readonly SettledPart[]): SettledPart {
  return {
    auth: Object.assign({}, ...parts.map(({ auth }) => auth)) as Texts,
    env: Object.assign({}, ...parts.map(({ env }) => env)) as Texts,
    notes: parts.flatMap(({ notes }) => notes),
  }
}

export function settleEnv(env: Texts, imported: ImportedSecrets): SettledPart {
  return joinParts(
    Object.entries(env).map(([name, value]) => settleValue(name, name, value, imported)),
  )
}

/** `Authorization: Bearer x` is the server's bearer; every other header stays a header, secret or plain. */
export function settleHeaders(headers: Texts, imported: ImportedSecrets): SettledPart {
  const parts = Object.entries(headers).map(([name, value]) => {
    const bearer = /^authorization$/i.test(name) ? /^bearer\s+(?<token>.+)$/i.exec(value) : null
    const token = bearer?.groups?.['token']
    return token === undefined
      ? settleValue(`header:${name}`, name, value, imported)
      : settleSecret('bearer', token, imported)
  })
  return joinParts(parts)
}

/** References stay, and `plan-import.ts` refuses those to others' secrets; any other value under [auth] is a secret. */
export function settleAuth(auth: Texts, server: ServerId, imported: ImportedSecrets): SettledPart {
  const parts = Object.entries(auth).map(([key, value]) => {
    if (!isSecretRef(value)) return settleSecret(key, value, imported)
    return { ...NOTHING, auth: { [key]: ownSpelling(value, server, imported) } }
  })
  return joinParts(parts)
}

/** `vault:notion_token` of the server `notion` is how PFAR spells an own secret: it gets Cordon's name for it. */
function ownSpelling(ref: string, server: ServerId, imported: ImportedSecrets): string {
  const own = `vault:${server}_`
  return ref.startsWith(own) && !ref.includes('/') ? imported.want(ref.slice('vault:'.length)) : ref
}

/** Nested settings; a secret among them is replaced by its reference. Nulls are dropped: TOML has no null. */
export function settleSettings(
  settings: TomlTable,
  path: readonly string[],
  imported: ImportedSecrets,
): TomlTable {
  const settle = (value: unknown, at: readonly string[]): unknown => {
    if (Array.isArray(value)) {
      return value.filter((item) => item !== null).map((item) => settle(item, at))
    }
    if (isTable(value)) return settleSettings(value, at, imported)
    const isSecret = typeof value === 'string' && looksSecret(at.at(-1) ?? '', value)
    return isSecret ? imported.keep(at.join('.'), value) : value
  }
  const present = Object.entries(settings).filter(([, value]) => value !== null)
  return Object.fromEntries(present.map(([key, value]) => [key, settle(value, [...path, key])]))
}

/** For values that are known to be a secret or a reference to one, even if they do not look like it. */
export function settleSecret(key: string, value: string, imported: ImportedSecrets): SettledPart {
  const foreign = readForeignValue(value)
  const settled = (ref: string, ...notes: readonly string[]): SettledPart => ({
    ...NOTHING,
    auth: { [key]: ref },
    notes,
  })
  if (foreign.kind === 'input') return settled(imported.want(foreign.id))
  if (foreign.kind === 'mixed') {
    const note = `${key}: was put together from several values, which Cordon does not do`
    return settled(imported.want(key), note)
  }
  if (foreign.kind === 'plain') {
    return settled(value.trim() === '' ? imported.want(key) : imported.keep(key, value))
  }
  const { variable, hadDefault } = foreign
  const lost = hadDefault ? ', and the default value was left out' : ''
  const note = `${key}: was read from the environment (${variable}), which an import may not name${lost}`
  return settled(imported.want(variable), note)
}

function settleValue(
  key: string,
  name: string,
  value: string,
  imported: ImportedSecrets,
): SettledPart {
  const { kind } = readForeignValue(value)
  if (kind === 'env' || kind === 'input' || looksSecret(name, value)) {
    return settleSecret(key, value, imported)
  }
  const notes =
    kind === 'mixed' ? [`${key}: Cordon does not fill in \${…} inside a longer text`] : []
  return { ...NOTHING, env: { [key]: value }, notes }
}
