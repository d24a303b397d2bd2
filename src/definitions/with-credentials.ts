/**
 * Changes of `[auth]` in the table of a definition. A credential is a reference, or a table with a reference and its seal;
 * a new reference keeps the seal that is there. Pure.
 */
import type { DefinitionChanges } from '../kernel/definition-change.ts'
import { CordonError } from '../kernel/error.ts'
import { isTable, type TomlTable } from './toml-file.ts'

type Changes = Pick<DefinitionChanges, 'auth' | 'seal' | 'unseal'>

export function withCredentials(table: TomlTable, changes: Changes): TomlTable {
  const { auth, seal, unseal } = changes
  if (!auth && !seal && !unseal) return table
  const before = isTable(table['auth']) ? table['auth'] : {}
  return { ...table, auth: unsealed(sealed(renamed(before, auth), seal), unseal) }
}

function renamed(there: TomlTable, auth: Changes['auth'] = {}): TomlTable {
  const entries = Object.entries(auth).map(([key, ref]) => {
    const one = there[key]
    return [key, isTable(one) ? { ...one, ref } : ref]
  })
  return { ...there, ...Object.fromEntries(entries) }
}

function sealed(there: TomlTable, seal: Changes['seal'] = {}): TomlTable {
  const entries = Object.entries(seal).map(([key, hosts]) => {
    const one = { ref: refAt(there, key), sealed: true }
    return [key, hosts.length > 0 ? { ...one, hosts: [...hosts] } : one]
  })
  return { ...there, ...Object.fromEntries(entries) }
}

function unsealed(there: TomlTable, unseal: Changes['unseal'] = []): TomlTable {
  return { ...there, ...Object.fromEntries(unseal.map((key) => [key, refAt(there, key)])) }
}

function refAt(auth: TomlTable, key: string): TomlTable[string] {
  const there = Object.hasOwn(auth, key) ? auth[key] : undefined
  const ref = isTable(there) ? there['ref'] : there
  if (ref !== undefined) return ref
  const names = Object.keys(auth).join(', ')
  throw new CordonError(
    'servers.unknown-credential',
    {
      exit: 2,
      hint: names ? `It has ${names}` : 'Add one with `--secret NAME=vault:SECRET`',
    },
    `Cannot find the credential ${JSON.stringify(key)} under [auth]`,
  )
}
