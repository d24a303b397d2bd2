/** The names of types as people write them in a flow, such as `int` or `list`, made into those of JSON Schema. Pure. */

const KNOWN = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['bool', 'boolean'],
  ['list', 'array'],
  ['dict', 'object'],
])

/** An unknown type is `any`. */
export function typeNamed(text: string | undefined): string {
  const words = (text ?? 'any')
    .toLowerCase()
    .split('|')
    .map((word) => word.trim())
  return unionOf(words.map((word) => SPELLINGS.get(word) ?? word))
}

export function unionOf(types: readonly string[]): string {
  const isKnown = (type: string): boolean => KNOWN.has(type.replace(/(?:\[\])+$/, ''))
  if (types.length === 0 || !types.every(isKnown)) return 'any'
  return [...new Set(types)].join('|')
}
