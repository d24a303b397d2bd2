/**
 * What the log may say of a value: its shape, a keyed hash that shows whether two values are the same, and a short
 * preview. Never the value. The hash has a key of its own, so that nobody can guess a short value from it.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../kernel/json.ts'
import type { Redactor } from '../kernel/ports.ts'
import { cutText } from './cut-text.ts'
import { hideInContent } from './hide-credentials.ts'
import { tameJson } from './tame-json.ts'
import { previewOf } from './value-preview.ts'

export interface ValueDescriber {
  shape(value: Json): Json
  hash(value: Json): string
  preview(value: Json): string
}

const MAX_DEPTH = 3
const MAX_KEYS = 16
const MAX_KEY = 64
const MAX_SHAPE = 4096

export function createValueDescriber(hashKey: Buffer, redactor: Redactor): ValueDescriber {
  const key = createSecretKey(hashKey)
  const cleanKey = (key: string): string =>
    cutText(hideInContent(redactor.redact(key.toWellFormed())), MAX_KEY)
  return {
    shape(value) {
      const shape = shapeOf(value, cleanKey, MAX_DEPTH)
      return JSON.stringify(shape).length <= MAX_SHAPE ? shape : shapeOf(value, cleanKey, 1)
    },
    hash: (value) => createHmac('sha256', key).update(spell(value)).digest('hex'),
    preview: (value) => previewOf(value, redactor),
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
  const members = Object.entries(value)
  if (depth === 0) return `object(${members.length})`
  const shown = members
    .slice(0, MAX_KEYS)
    .map(([key, item]): [string, Json] => [cleanKey(key), shapeOf(item, cleanKey, depth - 1)])
  if (members.length > MAX_KEYS) shown.push(['…', `${members.length - MAX_KEYS} more`])
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

/** The canonical form; where a foreign value has none (a lone surrogate, depth without end), that of its tamed copy. */
function spell(value: Json): string {
  try {
    return canonicalJson(value)
  } catch {
    return canonicalJson(tameJson(value, (raw) => raw.toWellFormed()))
  }
}
