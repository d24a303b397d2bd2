/**
 * The description of a value in the log: its shape, a keyed hash that shows whether two values are equal, and a short
 * preview. Never the value. The hash is keyed per home, so that a short value cannot be guessed from it.
 */
import { hash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../text/json.ts'
import type { Redactor } from '../kernel/ports.ts'
import { cutText } from '../text/untrusted-text.ts'
import { hideInContent } from '../text/hide-credentials.ts'
import { remembered } from '../text/remembered.ts'
import { tameJson } from './tame-json.ts'
import { previewOf } from './preview-of.ts'

/** Each answer is canonical JSON. */
export interface ValueDescriber {
  shape(value: Json): string
  hash(value: Json): string
  preview(value: Json): string
}

/** Of 64: enough to distinguish values, too few for a length-extension attack. */
const HASH_DIGITS = 32
const MAX_DEPTH = 3
const MAX_KEYS = 16
const MAX_KEY = 64
const MAX_SHAPE = 4096

export function createValueDescriber(hashKey: Buffer, redactor: Redactor): ValueDescriber {
  const key = hashKey.toString('hex')
  const shownKey = remembered((redacted) => cutText(hideInContent(redacted), MAX_KEY))
  const cleanKey = (key: string): string => shownKey(redactor.redact(key.toWellFormed()))
  return {
    shape(value) {
      const shape = canonicalJson(shapeOf(value, cleanKey, MAX_DEPTH))
      return shape.length <= MAX_SHAPE ? shape : canonicalJson(shapeOf(value, cleanKey, 1))
    },
    // The hash is truncated, which rules out length extension, so SHA-256 with a key prefix needs no HMAC.
    hash: (value) => `"${hash('sha256', key + spell(value)).slice(0, HASH_DIGITS)}"`,
    preview: (value) => canonicalJson(previewOf(value, redactor)),
  }
}

type CleanKey = (key: string) => string

function shapeOf(value: Json, cleanKey: CleanKey, depth: number): Json {
  if (typeof value === 'string') return `string(${value.length})`
  if (Array.isArray(value)) return arrayShape(value)
  if (typeof value !== 'object' || value === null) return typeName(value)
  return objectShape(value as JsonObject, cleanKey, depth)
}

function objectShape(value: JsonObject, cleanKey: CleanKey, depth: number): Json {
  const keys = Object.keys(value)
  if (depth === 0) return `object(${keys.length})`
  const shown: [string, Json][] = []
  for (const key of keys.slice(0, MAX_KEYS)) {
    shown.push([cleanKey(key), shapeOf(value[key] as Json, cleanKey, depth - 1)])
  }
  if (keys.length > MAX_KEYS) shown.push(['…', `${keys.length - MAX_KEYS} more`])
  return Object.fromEntries(shown)
}

function arrayShape(items: readonly Json[]): string {
  const kinds = new Set(items.map(typeName))
  const [kind] = kinds
  if (kind === undefined) return 'array(0)'
  return `array(${items.length}) of ${kinds.size === 1 ? kind : 'mixed'}`
}

function typeName(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The canonical form; an untrusted value without one (a lone surrogate, endless depth) is tamed first. */
function spell(value: Json): string {
  try {
    return canonicalJson(value)
  } catch {
    return canonicalJson(tameJson(value, (raw) => raw.toWellFormed()))
  }
}
