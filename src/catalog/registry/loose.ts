/** Reads untrusted JSON without assuming its shape: a missing value, or one of another type, is empty. Pure. */

export type Loose = Readonly<Record<string, unknown>>

/** No honest entry has more packages, variables or arguments. */
const MAX_ITEMS = 200

export function recordOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Loose)
    : {}
}

export function recordsOf(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(recordOf) : []
}

/** A field by its current name, or by the snake_case name of the first schema: `is_secret` for `isSecret`. */
export function field(record: Loose, name: string): unknown {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.hasOwn(record, name) ? record[name] : record[snake]
}

/** A text; also a number or a boolean, as text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
