/** A server's question, cleaned by Cordon, as the parameters of `elicitation/create` for a client. Pure. */
import type { Option, QuestionField } from '../kernel/elicitation.ts'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { JsonObject } from '../text/json.ts'
import { mapRecord } from '../text/map-record.ts'
import type { Era } from './versions.ts'

/** The client that is asked. */
export interface Asked {
  readonly era: Era
  /** Of its session; absent in the modern era. */
  readonly version?: string | undefined
}

export function elicitationFor(question: FlowQuestion, asked: Asked): JsonObject {
  const { era } = asked
  const { text: message, url, id, fields = [] } = question
  if (url !== undefined) {
    // The modern era has no ids of questions: the client comes back with the call itself.
    return { mode: 'url', message, url, ...(era === 'legacy' && { elicitationId: id }) }
  }
  const properties = mapRecord(Object.fromEntries(fields.map((one) => [one.name, one])), (field) =>
    schemaOf(field, asked),
  )
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const requestedSchema = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return { mode: 'form', message, requestedSchema }
}

function schemaOf(field: QuestionField, asked: Asked): JsonObject {
  const { title, description, default: usual } = field
  return {
    ...typeOf(field, asked),
    title,
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
  }
}

function typeOf(field: QuestionField, asked: Asked): JsonObject {
  switch (field.kind) {
    case 'text':
      return { type: 'string', ...(isKnownFormat(field.format) && { format: field.format }) }
    case 'number':
      return { type: field.isWhole ? 'integer' : 'number' }
    case 'yes-no':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', ...choicesOf(field, asked) }
    case 'choices':
      return { type: 'array', items: listedOf(field.options) }
    default:
      return field satisfies never
  }
}

/** The formats that MCP allows; a client may refuse a form with another. */
function isKnownFormat(format: string | undefined): format is string {
  return format !== undefined && ['email', 'uri', 'date', 'date-time'].includes(format)
}

/** The first version with `oneOf`; the one before it has elicitation, but knows `enumNames` alone. */
const FIRST_WITH_ONE_OF = '2025-11-25'

/** Titles as the server spelled them, if a session's version has that; the modern era has `oneOf` alone. */
function choicesOf(
  { options, hasEnumNames }: { readonly options: readonly Option[]; readonly hasEnumNames?: true },
  { era, version = '' }: Asked,
): JsonObject {
  const values = options.map(({ value }) => value)
  const titles = options.map(({ title }) => title)
  if (titles.every((title, at) => title === values[at])) return { enum: values }
  const isOlder = era === 'legacy' && (hasEnumNames === true || version < FIRST_WITH_ONE_OF)
  if (isOlder) return { enum: values, enumNames: titles }
  return { oneOf: options.map(({ value, title }) => ({ const: value, title })) }
}

function listedOf(options: readonly Option[]): JsonObject {
  const isPlain = options.every(({ value, title }) => value === title)
  if (isPlain) return { type: 'string', enum: options.map(({ value }) => value) }
  return { anyOf: options.map(({ value, title }) => ({ const: value, title })) }
}
