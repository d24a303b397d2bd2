/**
 * Parses one definition file: its name and text become a definition with warnings, or problems with a line each. Reads
 * no disk. A message never repeats a value, since a value in the wrong field may be a token.
 */
import { basename } from 'node:path'
import type { DefinitionProblem, ServerDefinition } from '../kernel/server-definition.ts'
import { isServerId } from '../kernel/server-id.ts'
import { closestNames } from '../text/closest-names.ts'
import { brokenRules } from './broken-rules.ts'
import { type FieldIssue, type FieldsReading, KNOWN_KEYS, readFields } from './definition-schema.ts'
import { holdsKnownToken, looksSecret } from '../text/looks-secret.ts'
import { findSecretArgs } from './import/secret-args.ts'
import { showText } from './show-text.ts'
import { isTable, readToml, type TomlTable } from './toml-file.ts'
import { lineOfKey } from './line-of-key.ts'

export type DefinitionReading =
  | {
      readonly kind: 'definition'
      readonly definition: ServerDefinition
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'problems'; readonly problems: readonly DefinitionProblem[] }

export function readDefinition(path: string, text: string, homeFolder: string): DefinitionReading {
  const id = basename(path, '.toml')
  if (!isServerId(id)) {
    const message = 'expected a file name of lower-case letters, digits, "-" and "_" before ".toml"'
    return { kind: 'problems', problems: [{ path, message }] }
  }
  const toml = readToml(text)
  if (toml.kind === 'mistake') {
    return { kind: 'problems', problems: [{ path, line: toml.line, message: toml.message }] }
  }
  const { unknown, fields } = readKnown(toml.table, (known) => readFields(id, known, homeFolder))
  const problems = [...plainTokens(toml.table, []), ...issuesOf(fields)]
  const placed = (issues: readonly FieldIssue[]): readonly DefinitionProblem[] =>
    issues.map((issue) => place(issue, path, text))
  if (fields.kind === 'issues' || problems.length > 0) {
    return { kind: 'problems', problems: placed([...problems, ...unknown]) }
  }
  const strange = placed(unknown).map(({ line, message }) => `line ${line ?? '?'}: ${message}`)
  const { definition } = fields
  return { kind: 'definition', definition, warnings: [...strange, ...cautions(definition)] }
}

type KeyPath = readonly PropertyKey[]

/** Unknown fields are removed and reported; the remaining fields are parsed without them. */
function readKnown(
  table: TomlTable,
  read: (known: TomlTable) => FieldsReading,
): { readonly unknown: readonly FieldIssue[]; readonly fields: FieldsReading } {
  const first = read(table)
  if (first.kind === 'definition') return { unknown: [], fields: first }
  const strange = first.issues.flatMap((issue) =>
    (issue.unknownKeys ?? []).map((key): KeyPath => [...issue.path, key]),
  )
  return { unknown: strange.map(unknownField), fields: read(withoutFields(table, strange)) }
}

function unknownField(path: KeyPath): FieldIssue {
  const section = path.length === 1 ? '' : String(path[0])
  const [guess] = closestNames(String(path.at(-1)), KNOWN_KEYS[section] ?? [])
  const advice = guess === undefined ? 'it has no effect' : `did you mean ${JSON.stringify(guess)}?`
  return { path, message: `unknown field, ${advice}` }
}

function withoutFields(table: TomlTable, fields: readonly KeyPath[]): TomlTable {
  const kept = Object.entries(table).flatMap(([key, value]): [string, unknown][] => {
    const inside = fields.filter(([first]) => first === key).map((field) => field.slice(1))
    if (inside.some((field) => field.length === 0)) return []
    return [[key, isTable(value) ? withoutFields(value, inside) : value]]
  })
  return Object.fromEntries(kept)
}

function issuesOf(fields: FieldsReading): readonly FieldIssue[] {
  return fields.kind === 'issues' ? fields.issues : brokenRules(fields.definition)
}

/** The checks of these fields refuse a token themselves, with better advice. */
const GUARDED_FIELDS: ReadonlySet<string> = new Set(['auth', 'url'])

/** Tokens of a known format, in any field. */
function plainTokens(value: unknown, path: KeyPath): readonly FieldIssue[] {
  if (typeof value === 'string') return holdsKnownToken(value) ? [plainToken(path)] : []
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => plainTokens(item, [...path, index]))
  }
  if (!isTable(value)) return []
  const entries = Object.entries(value).filter(
    ([key]) => path.length > 0 || !GUARDED_FIELDS.has(key),
  )
  return entries.flatMap(([key, item]) => plainTokens(item, [...path, key]))
}

function plainToken(path: KeyPath): FieldIssue {
  const message =
    'expected no token in plain text; store it with `cordon vault set NAME`, then write "vault:NAME" under [auth]'
  return { path, message }
}

/** Warnings about settings that are allowed but risky. */
function cautions({ sandbox, env, args }: ServerDefinition): readonly string[] {
  const settings = Object.entries(env).filter(([name, value]) => looksSecret(name, value))
  const suspects: KeyPath[] = [
    ...settings.map(([name]) => ['env', name]),
    ...findSecretArgs(args).map(({ index }) => ['server', 'args', index]),
  ]
  return [
    ...(sandbox.mode === 'none' ? ['runs without a sandbox: sandbox.mode is "none"'] : []),
    ...suspects.map(
      (path) =>
        `${showKey(path)} looks like a secret in plain text: store it with \`cordon vault set NAME\`, then write "vault:NAME" under [auth]`,
    ),
  ]
}

function place(issue: FieldIssue, path: string, text: string): DefinitionProblem {
  const line = lineOfKey(text, issue.path)
  const message = `${showKey(issue.path)}: ${issue.message}`
  return { path, message, ...(line !== undefined && { line }) }
}

/** `sandbox.memory_limit`, `allowed_domains[0]`, `tools."x y".enabled`. */
function showKey(path: KeyPath): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      const key = String(part)
      const shown = /^[\w-]+$/.test(key) ? key : showText(key)
      return index === 0 ? shown : `.${shown}`
    })
    .join('')
}
