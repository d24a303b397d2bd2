/**
 * Under which name the result of a pure step is kept. Every part is written with its length before it, so that no two
 * different lists of parts read the same; labels and principal are parts, so that nobody is served what is not his.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '../../text/json.ts'
import type { Labelled } from '../../labels/labelled.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import { storeTree } from '../../labels/stored-label.ts'
import type { KnownNode } from '../nodes/node-index.ts'
import { fingerprint } from '../operators/peek.ts'

export interface CachedStep {
  readonly nodeHash: string
  readonly params: Json
  readonly inputs: Readonly<Record<string, Labelled>>
  readonly principal: PrincipalId
}

/** Undefined where an input has no one spelling, so that nothing is kept. */
export function cacheKey({ nodeHash, params, inputs, principal }: CachedStep): string | undefined {
  const parts = ['cordon flow step 1', nodeHash, principal, spelled(params)]
  for (const [name, value] of Object.entries(inputs).sort(byName)) {
    parts.push(name, fingerprint(value))
  }
  return parts.every((part) => part !== undefined) ? hashOf(parts) : undefined
}

/** Of what the node is: another tool, or the same one changed, or one whose answers are labelled otherwise, has another. */
export function nodeHashOf({
  descriptor,
  answers,
}: Pick<KnownNode, 'descriptor' | 'answers'>): string {
  const { id, kind, pin } = descriptor
  return hashOf([
    kind,
    id,
    pin?.tool.server ?? '',
    pin?.tool.name ?? '',
    pin?.hash ?? '',
    pin?.serverPin ?? '',
    answers ? canonicalJson(storeTree(answers)) : '',
  ])
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = Buffer.from(part, 'utf8')
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(bytes.length))
    hash.update(length).update(bytes)
  }
  return hash.digest('hex')
}

function spelled(params: Json): string | undefined {
  try {
    return canonicalJson(params)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
