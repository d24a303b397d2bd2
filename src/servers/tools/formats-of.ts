/**
 * The formats of a tool's arguments: as the catalog says of a server it vouches for; else HTML where name or schema say
 * so. A server's own words only ever add a format, and a format only ever adds care.
 */
import type { ContentFormat, FormatRules } from '../../text/content-format.ts'
import type { JsonObject } from '../../text/json.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { propertiesOf } from './argument-roles.ts'
import { nameTokens } from '../../text/name-tokens.ts'

interface ToolShape {
  readonly name: string
  readonly inputSchema: JsonObject
}

export function formatsOf(
  { name: tool, inputSchema }: ToolShape,
  rules: FormatRules = {},
): ReadonlyMap<string, readonly ContentFormat[]> {
  const properties = propertiesOf(inputSchema)
  const formats = new Map<string, readonly ContentFormat[]>()
  for (const name of Object.keys(properties)) {
    const known = ruleFor(rules, `${tool}.${name}`) ?? ruleFor(rules, name) ?? []
    const said = isHtml(name, properties[name]) && !known.includes('html') ? [HTML] : []
    if (known.length + said.length > 0) formats.set(name, [...known, ...said])
  }
  return formats
}

const HTML: ContentFormat = 'html'

function ruleFor(rules: FormatRules, key: string): readonly ContentFormat[] | undefined {
  return Object.hasOwn(rules, key) ? rules[key] : undefined
}

function isHtml(name: string, schema: unknown): boolean {
  if (nameTokens(name).includes('html')) return true
  return isJsonObject(schema) && schema['contentMediaType'] === 'text/html'
}
