/**
 * Computes the key under which the result of a pure step is cached. Each part is preceded by its length, so different
 * lists of parts never give the same bytes; labels, principal and account are parts, so no caller gets a result that was
 * computed for another one.
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
  /** The account that the server answers for. */
  readonly account: string
}

/** Undefined if the params or an input have no canonical JSON; then nothing is cached. */
export function cacheKey(step: CachedStep): string | undefined {
  const { nodeHash, params, inputs, principal, account } = step
  const parts = ['cordon flow step 2', nodeHash, principal, account, spelled(params)]
  for (const [name, value] of Object.entries(inputs).sort(byName)) {
    parts.push(name, fingerprint(value))
  }
  return parts.every((part) => part !== undefined) ? hashOf(parts) : undefined
}

/** Identifies the node: changes with the tool, its definition, the pin of its server, and the labels of its answers. */
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
