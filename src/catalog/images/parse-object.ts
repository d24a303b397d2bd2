/** JSON of a registry as an object. Pure. */
import { ImageError } from './image-error.ts'

export type Loose = Readonly<Record<string, unknown>>

/** `what` is for people: `its manifest`. */
export function parseObject(bytes: Buffer, what: string): Loose {
  try {
    const found: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Loose
  } catch {
    // Named below: the text itself is a stranger's.
  }
  throw new ImageError(
    'registry-unreachable',
    `the registry does not answer like one: ${what} is no JSON`,
  )
}

export function objectIn(value: unknown): Loose {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Loose) : {}
}

export function objectsIn(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(objectIn) : []
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
