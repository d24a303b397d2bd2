/**
 * One server as another program's file describes it, before its secrets are taken out.
 * A draft is never written, shown or logged: `settle-draft.ts` turns it into what may be.
 */
import type { Json, JsonObject } from '../kernel/json.ts'
import type { TomlTable } from './toml-file.ts'

export interface ServerDraft {
  /** What the server is called there; its slug follows from it. */
  readonly name: string
  /** Fields that need no further thought, in the words of a definition file. */
  readonly table: TomlTable
  readonly command?: string | undefined
  readonly args: readonly string[]
  readonly url?: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** References, or secrets in plain text. */
  readonly auth: Readonly<Record<string, string>>
  /** A stored OAuth answer (JSON), and the credential it is for. */
  readonly token?: { readonly key: string; readonly document: string } | undefined
  readonly config: JsonObject
  /** The TOML text it came from, so that comments survive. */
  readonly text?: string
  readonly notes: readonly string[]
}

/** A file that was read for an import. */
export interface SourceFile {
  readonly path: string
  readonly bytes: Buffer
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

/** Text, or a number or boolean as the text that a process would see. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export function textList(value: unknown): readonly string[] {
  return listOf(value).flatMap((item) => textOf(item) ?? [])
}

export function textMap(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(value)).flatMap(([key, item]): [string, string][] => {
    const text = textOf(item)
    return text === undefined ? [] : [[key, text]]
  })
  return Object.fromEntries(entries)
}

/** The fields that have a value: TOML has no null. */
export function defined(fields: Readonly<Record<string, unknown>>): TomlTable {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(kept)
}
