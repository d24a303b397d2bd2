/** A server's question, cleaned by Cordon, as the parameters of `elicitation/create` for a client. Pure. */
import type { Option, QuestionField } from '../kernel/elicitation.ts'
import type { FlowQuestion } from '../ports/flow-port.ts'
import type { JsonObject } from '../text/json.ts'
import { mapRecord } from '../text/map-record.ts'
import type { Era } from './versions.ts'

export function elicitationFor(question: FlowQuestion, era: Era): JsonObject {
  const { text: message, url, id, fields = [] } = question
  if (url !== undefined) {
    // The modern era has no ids of questions: the client comes back with the call itself.
    return { mode: 'url', message, url, ...(era === 'legacy' && { elicitationId: id }) }
  }
  const properties = mapRecord(Object.fromEntries(fields.map((one) => [one.name, one])), (field) =>
    schemaOf(field, era),
  )
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const requestedSchema = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return { mode: 'form', message, requestedSchema }
}

function schemaOf(field: QuestionField, era: Era): JsonObject {
  const { title, description, default: usual } = field
  return {
    ...typeOf(field, era),
    title,
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
  }
}

function typeOf(field: QuestionField, era: Era): JsonObject {
  switch (field.kind) {
    case 'text':
      return { type: 'string', ...(isKnownFormat(field.format) && { format: field.format }) }
    case 'number':
      return { type: field.isWhole ? 'integer' : 'number' }
    case 'yes-no':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', ...choicesOf(field.options, era) }
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

/** Titles as the oldest version that knows elicitation spells them, which the later ones still read. */
function choicesOf(options: readonly Option[], era: Era): JsonObject {
  const values = options.map(({ value }) => value)
  const titles = options.map(({ title }) => title)
  if (titles.every((title, at) => title === values[at])) return { enum: values }
  if (era === 'legacy') return { enum: values, enumNames: titles }
  return { oneOf: options.map(({ value, title }) => ({ const: value, title })) }
}

function listedOf(options: readonly Option[]): JsonObject {
  const isPlain = options.every(({ value, title }) => value === title)
  if (isPlain) return { type: 'string', enum: options.map(({ value }) => value) }
  return { anyOf: options.map(({ value, title }) => ({ const: value, title })) }
}
