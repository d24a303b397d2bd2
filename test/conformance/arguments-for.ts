/** Arguments that fit a simple input schema: the least that a tool of the suite accepts. */
import type { Json } from '../../src/text/json.ts'

const VALUES: Readonly<Record<string, Json>> = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
}

export function argumentsFor(schema: unknown): Record<string, Json> {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, { readonly type?: string }>>
    readonly required?: readonly string[]
  }
  return Object.fromEntries(
    required.map((name) => [name, VALUES[properties[name]?.type ?? 'string'] ?? null]),
  )
}
