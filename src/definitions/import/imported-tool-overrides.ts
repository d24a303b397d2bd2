/**
 * Restricts an imported definition's claims about its own tools and data to those that make Cordon more careful. Only
 * the catalog or the owner may declare a tool read-only, describe it, assign roles to its arguments or call its data
 * harmless, and only the catalog may mark a server as vouched for. Pure.
 */
import { isTable, type TomlTable } from '../toml-file.ts'

const STRICT = new Set<unknown>(['write', 'destructive', 'exec'])

export interface ImportedToolOverrides {
  /** Replaces the fields of the file; undefined: the field is left out. */
  readonly fields: {
    readonly source: unknown
    readonly tools: TomlTable | undefined
    readonly label: unknown
  }
  readonly notes: readonly string[]
}

export function readImportedToolOverrides({
  source,
  tools,
  label,
}: TomlTable): ImportedToolOverrides {
  const isPlain = label === 'public' || label === 'internal'
  const isVouching = isTable(source) && source['kind'] === 'catalog'
  const said = Object.entries(isTable(tools) ? tools : {})
  const kept = said.flatMap(([name, word]) => {
    const strict = strictOf(word)
    return Object.keys(strict).length > 0 ? [[name, strict] as const] : []
  })
  const isLess = said.some(([, word]) => {
    return Object.keys(strictOf(word)).length < (isTable(word) ? Object.keys(word).length : 1)
  })
  return {
    fields: {
      source: isVouching ? undefined : source,
      tools: kept.length > 0 ? Object.fromEntries(kept) : undefined,
      label: isPlain ? undefined : label,
    },
    notes: isVouching || isLess || isPlain ? [LEFT_OUT] : [],
  }
}

const LEFT_OUT =
  'What the file says in favour of its own tools and data was left out; `cordon tools mark` is yours to say'

function strictOf(word: unknown): TomlTable {
  if (!isTable(word)) return {}
  const { semantics, enabled } = word
  return {
    ...(STRICT.has(semantics) && { semantics }),
    ...(enabled === false && { enabled }),
  }
}
