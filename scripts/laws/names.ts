/**
 * The law of file names: a file is named after an export of its own, so that an import says where a name is defined and
 * a name says which file to open. Families whose files have another shape are listed by pattern, the rest by path.
 */
import path from 'node:path'
import type { Violation } from './violation.ts'

/** `createVault`, `openVault`, `Vault`, `isVault` and `vaultOf` may all live in `vault.ts`. */
const VERB =
  /^(?:create|open|parse|read|write|add|is|has|run|build|to|make|show|check|find|follow|load|explain|describe)-/
const LINK = /-(?:of|for|in|from)$/
const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm

export interface NameExceptions {
  /** Families of files: tables of errors, ports, commands, data. */
  readonly families: readonly RegExp[]
  /** Files with several functions about one noun and no main export. */
  readonly collections: readonly string[]
}

export function nameViolations(
  file: string,
  text: string,
  { families, collections }: NameExceptions,
): readonly Violation[] {
  const exports = [...text.matchAll(EXPORT)].map(([, name = '']) => kebab(name))
  if (exports.length === 0 || families.some((family) => family.test(file))) return []
  const stem = path.basename(file, '.ts')
  const isNamed = exports.some((name) => noun(name) === noun(stem))
  if (isNamed === !collections.includes(file)) return []
  const what = isNamed
    ? 'is named after its export now; take it off the list of collections'
    : `is named after none of its exports: ${exports.slice(0, 5).join(', ')}`
  return [{ where: file, what }]
}

function noun(name: string): string {
  return name
    .replace(/^dangerously-/, '')
    .replace(VERB, '')
    .replace(LINK, '')
    .replace(/s$/, '')
}

function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
    .replaceAll('o-auth', 'oauth')
}
