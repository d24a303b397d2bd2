/**
 * Parses a server's elicitation into a question that can be drawn. All of its text is untrusted: a question that is
 * not understood, asks for a secret, or leads to an unusual address is never put to the owner. Pure.
 */
import { cutText } from '../../text/untrusted-text.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type {
  FieldInput,
  FieldValue,
  Option,
  Question,
  QuestionField,
} from '../../kernel/elicitation.ts'
import { fitsField } from '../../text/fits-field.ts'
import { looksSecret } from '../../text/looks-secret.ts'
import { asksForSecret } from '../../text/secret-name.ts'
import { isJsonObject } from './json-bounds.ts'

export type QuestionReading =
  | { readonly kind: 'question'; readonly question: Question }
  /** `why` completes "it …". */
  | { readonly kind: 'unfit'; readonly why: string }

const MAX_WORDS = 1000
const MAX_FIELDS = 32
const MAX_OPTIONS = 100

/** `params` are redacted and free of invisible characters. */
export function readQuestion(params: JsonObject): QuestionReading {
  const { message, mode } = params
  if (typeof message !== 'string') return unfit('says nothing')
  const shown = cutText(message, MAX_WORDS)
  return mode === 'url' ? readVisit(shown, params['url']) : readForm(shown, params)
}

function readVisit(message: string, url: Json | undefined): QuestionReading {
  if (typeof url !== 'string' || !URL.canParse(url)) return unfit('names no page')
  const { protocol, username, password, href } = new URL(url)
  const isPlain = protocol === 'https:' && username === '' && password === ''
  if (!isPlain || href.length > 2 * MAX_WORDS) return unfit('leads to an address that is not plain')
  return { kind: 'question', question: { kind: 'visit', message, url: href } }
}

function readForm(message: string, { requestedSchema }: JsonObject): QuestionReading {
  const properties = isJsonObject(requestedSchema) ? requestedSchema['properties'] : undefined
  if (!isJsonObject(requestedSchema) || !isJsonObject(properties)) return unfit('has no form')
  const { required } = requestedSchema
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name)
  const entries = Object.entries(properties)
  const fields = entries.slice(0, MAX_FIELDS).flatMap(([name, schema]) => {
    return readField(name, schema, isRequired(name)) ?? []
  })
  if (fields.length < entries.length) return unfit('has a form that cannot be drawn')
  if (fields.some((field) => wantsSecret(field, message)))
    return unfit('asks for a secret in a form')
  return { kind: 'question', question: { kind: 'form', message, fields } }
}

function readField(name: string, schema: Json, isRequired: boolean): QuestionField | undefined {
  const input = isJsonObject(schema) ? readInput(schema) : undefined
  if (!input || !isJsonObject(schema) || name.length > MAX_WORDS) return undefined
  const { title, description, default: usual } = schema
  return {
    ...input,
    name,
    title: cutText(typeof title === 'string' ? title : name, MAX_WORDS),
    ...(typeof description === 'string' && { description: cutText(description, MAX_WORDS) }),
    isRequired,
    // SEP-1034: one that does not fit the field, or that nobody could read whole, counts as absent.
    ...(fitsField(input, usual) && isShort(usual) && { default: usual }),
  }
}

function isShort(value: FieldValue): boolean {
  return JSON.stringify(value).length <= MAX_WORDS
}

function readInput(schema: JsonObject): FieldInput | undefined {
  const { type, items, format } = schema
  if (type === 'boolean') return { kind: 'yes-no' }
  if (type === 'number' || type === 'integer') {
    return { kind: 'number', isWhole: type === 'integer' }
  }
  if (type === 'array') return isJsonObject(items) ? readOptions('choices', items) : undefined
  if (type !== 'string') return undefined
  if ('enum' in schema || 'oneOf' in schema) return readOptions('choice', schema)
  return { kind: 'text', ...(typeof format === 'string' && { format: cutText(format, 50) }) }
}

/** All revisions of MCP: `enum` with or without `enumNames`, or `oneOf` and `anyOf` of `const` with `title`. */
function readOptions(kind: 'choice' | 'choices', schema: JsonObject): FieldInput | undefined {
  const { enumNames } = schema
  const list = schema['enum'] ?? schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_OPTIONS) return undefined
  const options = (list as readonly Json[]).flatMap((item, at): readonly Option[] => {
    const value = isJsonObject(item) ? item['const'] : item
    const name = isJsonObject(item) ? item['title'] : Array.isArray(enumNames) && enumNames[at]
    if (typeof value !== 'string' || value.length > MAX_WORDS) return []
    return [{ value, title: cutText(typeof name === 'string' ? name : value, MAX_WORDS) }]
  })
  if (options.length !== list.length) return undefined
  return { kind, options, ...(Array.isArray(enumNames) && { hasEnumNames: true as const }) }
}

/** MCP forbids forms that ask for a secret: the secret would pass through the client. */
function wantsSecret(
  { kind, name, title, description = '' }: QuestionField,
  message: string,
): boolean {
  if (kind !== 'text' && kind !== 'number') return false
  if ([name, title].some((words) => looksSecret(words, 'any words'))) return true
  return [name, title, description, message].some(asksForSecret)
}

function unfit(why: string): QuestionReading {
  return { kind: 'unfit', why }
}
