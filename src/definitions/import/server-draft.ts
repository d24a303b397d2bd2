/**
 * One server as another program's file describes it, before its secrets are taken out. A draft may hold secrets, so it
 * is never written, shown or logged; `settle-draft.ts` turns it into a definition.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import type { TomlTable } from '../toml-file.ts'

export interface ServerDraft {
  /** The server's name in the other program; the slug is derived from it. */
  readonly name: string
  /** Fields that are taken over unchanged, under the keys of a definition file. */
  readonly table: TomlTable
  /** The catalog's facts about its package or address, which no file can claim for itself. */
  readonly facts?: TomlTable
  readonly command?: string | undefined
  readonly args: readonly string[]
  readonly url?: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** References, or secrets in plain text. */
  readonly auth: Readonly<Record<string, string>>
  /** A stored OAuth token response (JSON), and the credential key it is for. */
  readonly token?: { readonly key: string; readonly document: string } | undefined
  readonly config: JsonObject
  /** The original TOML text, so that its comments survive. */
  readonly text?: string
  readonly notes: readonly string[]
}

/** A file that an import has read. */
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

/** Text, or a number or boolean as the text that a process sees. */
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

/** Drops undefined and null fields: TOML has no null. */
export function defined(fields: Readonly<Record<string, unknown>>): TomlTable {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(kept)
}
