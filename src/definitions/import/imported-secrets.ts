/**
 * Collects the secrets of one server during an import, each under its future name in the vault. In memory only. Equal
 * values share a name; a name that is taken gets a number.
 */
import type { ServerId } from '../../kernel/server-id.ts'
import { secretNameFor } from '../foreign-references.ts'

export interface ImportedSecret {
  readonly name: string
  readonly value: string
}

export interface ImportedSecrets {
  /** Collects a value and returns the reference to it. */
  keep(key: string, value: string): string
  /** Collects a stored OAuth token response and returns the reference to its token. */
  keepToken(document: string): string
  /** A reference whose value the owner still has to store. */
  want(key: string): string
  readonly secrets: readonly ImportedSecret[]
}

export function createImportedSecrets(
  server: ServerId,
  isTaken: (name: string) => boolean,
): ImportedSecrets {
  const secrets: ImportedSecret[] = []
  const place = (wanted: string, value: string): string => {
    const known = secrets.find((secret) => secret.value === value)
    if (known) return known.name
    const isUsed = (name: string): boolean =>
      isTaken(name) || secrets.some((secret) => secret.name === name)
    let name = wanted
    for (let count = 2; isUsed(name); count += 1) name = `${wanted}-${count}`
    secrets.push({ name, value })
    return name
  }
  return {
    keep: (key, value) => `vault:${place(`${server}/${secretNameFor(key)}`, value)}`,
    // `oauth:x` is resolved from the vault's secret `oauth/x`.
    keepToken: (document) => place(`oauth/${server}`, document).replace('/', ':'),
    want: (key) => `vault:${server}/${secretNameFor(key)}`,
    secrets,
  }
}
