/**
 * Environment markers, as in PEP 508: `python_version < "3.10" and extra == "cli"`. Evaluated by a parser of its own, so
 * no text of a package is ever run. Pure.
 */
import { Unfit } from '../install/unfit.ts'
import { normalName } from './normal-name.ts'
import { accepts, parseSpecifiers } from './specifier.ts'
import { parseVersion } from './version.ts'

export type MarkerEnvironment = Readonly<Record<string, string>>

const TOKEN =
  /\s*(?:(?<text>"[^"]*"|'[^']*')|(?<operator>===|~=|==|!=|<=|>=|<|>)|(?<paren>[()])|(?<word>[A-Za-z_][\w.]*))/y
const LONGEST = 4000
const DEEPEST = 40
const OPERATORS = new Set(['===', '~=', '==', '!=', '<=', '>=', '<', '>', 'in', 'not in'])

/** `extra` is empty where no extra was asked for. Throws `Unfit` if the marker cannot be read. */
export function evaluateMarker(
  marker: string,
  environment: MarkerEnvironment,
  extra = '',
): boolean {
  const tokens = tokensOf(marker)
  const values = { ...environment, extra: normalName(extra) }
  let at = 0
  const peek = (): string => tokens[at] ?? ''
  const next = (): string => tokens[at++] ?? ''

  const anyOf = (depth: number): boolean => {
    let result = allOf(depth)
    while (peek() === 'or') {
      next()
      const right = allOf(depth)
      result = result || right
    }
    return result
  }
  const allOf = (depth: number): boolean => {
    let result = one(depth)
    while (peek() === 'and') {
      next()
      const right = one(depth)
      result = result && right
    }
    return result
  }
  const one = (depth: number): boolean => {
    if (depth > DEEPEST) throw unreadable()
    if (peek() !== '(') return comparison()
    next()
    const inside = anyOf(depth + 1)
    if (next() !== ')') throw unreadable()
    return inside
  }
  const comparison = (): boolean => {
    const left = next()
    const operator = peek() === 'not' ? `${next()} ${next()}` : next()
    const right = next()
    if (!OPERATORS.has(operator)) throw unreadable()
    return compare(valueOf(left, right, values), operator, valueOf(right, left, values))
  }

  const result = anyOf(0)
  if (at !== tokens.length) throw unreadable()
  return result
}

function tokensOf(marker: string): readonly string[] {
  const text = marker.trim()
  if (text.length > LONGEST) throw unreadable()
  const tokens: string[] = []
  const scan = new RegExp(TOKEN)
  while (scan.lastIndex < text.length) {
    const [found] = scan.exec(text) ?? []
    if (found === undefined) throw unreadable()
    tokens.push(found.trim())
  }
  return tokens
}

/** A quoted text, or the value of a variable; the name of an extra has several spellings. */
function valueOf(token: string, other: string, values: MarkerEnvironment): string {
  if (!/^["']/.test(token)) {
    const value = Object.hasOwn(values, token) ? values[token] : undefined
    if (value === undefined) throw unreadable()
    return value
  }
  const text = token.slice(1, -1)
  return other === 'extra' ? normalName(text) : text
}

function compare(left: string, operator: string, right: string): boolean {
  if (operator === 'in') return right.includes(left)
  if (operator === 'not in') return !right.includes(left)
  const specifiers = parseSpecifiers(`${operator}${right}`)
  const version = parseVersion(left)
  if (specifiers && version) return accepts(specifiers, version)
  return compareTexts(left, operator, right)
}

function compareTexts(left: string, operator: string, right: string): boolean {
  switch (operator) {
    case '==':
    case '===':
      return left === right
    case '!=':
      return left !== right
    case '<=':
      return left <= right
    case '>=':
      return left >= right
    case '<':
      return left < right
    case '>':
      return left > right
    default:
      throw unreadable()
  }
}

function unreadable(): Unfit {
  return new Unfit('a condition in its requirements cannot be read')
}
