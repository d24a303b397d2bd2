/**
 * One MCP message as JSON text for people: invisible characters dropped, secrets masked, cut to length. A long message
 * is not walked to its end, so the cost of one does not grow with its size. Pure.
 */
import { hideCredentials } from '../../text/hide-credentials.ts'
import { isSecretName } from '../../text/secret-name.ts'
import { cutText, seenText } from '../../text/untrusted-text.ts'
import type { Redact } from './clean-text.ts'
import { isJsonObject, MAX_DEPTH } from './json-bounds.ts'

const MASKED = '"[masked]"'
/** The answer of the owner to a form of the server, in both protocol eras. */
const ANSWERED = '"[your answer is not kept]"'

interface Drawing {
  readonly redact: Redact
  readonly max: number
  readonly pieces: string[]
  size: number
}

export function showMessage(message: unknown, redact: Redact, max: number): string {
  const drawing: Drawing = { redact, max, pieces: [], size: 0 }
  draw(drawing, message, 0)
  // A secret that is no text of its own, such as a number, is found only here.
  return cutText(redact(drawing.pieces.join('')), max)
}

/** Drawn up to twice the length that is kept: a secret cut there is not recognised, but lies beyond the kept part. */
function isFull({ size, max }: Drawing): boolean {
  return size > 2 * max
}

function put(drawing: Drawing, piece: string): void {
  drawing.pieces.push(piece)
  drawing.size += piece.length
}

function draw(drawing: Drawing, value: unknown, depth: number): void {
  if (typeof value === 'string') put(drawing, quoted(drawing, value))
  else if (typeof value !== 'object' || value === null)
    put(drawing, JSON.stringify(value) ?? 'null')
  else if (depth === MAX_DEPTH) put(drawing, '"…"')
  else if (Array.isArray(value)) drawList(drawing, value, depth)
  else drawObject(drawing, value as Readonly<Record<string, unknown>>, depth)
}

function drawList(drawing: Drawing, items: readonly unknown[], depth: number): void {
  put(drawing, '[')
  for (const [at, item] of items.entries()) {
    if (isFull(drawing)) return
    if (at > 0) put(drawing, ',')
    draw(drawing, item, depth + 1)
  }
  put(drawing, ']')
}

function drawObject(
  drawing: Drawing,
  object: Readonly<Record<string, unknown>>,
  depth: number,
): void {
  const isAnswer = object['action'] === 'accept' && isJsonObject(object['content'])
  put(drawing, '{')
  let comma = ''
  for (const name in object) {
    if (isFull(drawing)) return
    const value = object[name]
    if (value === undefined) continue
    put(drawing, `${comma}${quoted(drawing, name)}:`)
    comma = ','
    if (isAnswer && name === 'content') put(drawing, ANSWERED)
    else if (isMasked(name, value)) put(drawing, MASKED)
    else draw(drawing, value, depth + 1)
  }
  put(drawing, '}')
}

/** A number under such a name is a limit or a count; a password in digits is in the vault, and redacted. */
function isMasked(name: string, value: unknown): boolean {
  return typeof value === 'string' && isSecretName(name, 'shown')
}

function quoted({ redact, max }: Drawing, text: string): string {
  const seen = seenText(text.slice(0, 2 * max).toWellFormed())
  return JSON.stringify(hideCredentials(redact(seen)))
}
