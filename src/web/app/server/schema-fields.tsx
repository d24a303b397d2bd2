/** Fields for the arguments of a tool, made of its schema, and the values that were typed into them. Untrusted names and texts. */
import type { JSX } from 'preact'
import { declaredArguments, typesOf } from '../../../text/call-arguments.ts'
import type { Json, JsonObject } from '../../../text/json.ts'
import { seenLine } from '../../../text/untrusted-text.ts'
import { Foreign } from '../parts/basics.tsx'

export type Typed = Readonly<Record<string, string>>

interface FieldsProps {
  readonly schema: JsonObject
  readonly typed: Typed
  readonly onType: (name: string, text: string) => void
}

export function SchemaFields({ schema, typed, onType }: FieldsProps): JSX.Element {
  const required = listOf(schema['required'])
  return (
    <>
      {declaredArguments(schema).map((name) => {
        const property = propertyOf(schema, name)
        const { description } = property
        const types = typesOf(property).join(' or ')
        return (
          <label key={name}>
            <span>
              <code>
                <Foreign text={name} />
              </code>{' '}
              <span class="muted">
                {types}
                {required.includes(name) ? '' : ', may be left empty'}
                {typeof description === 'string' && (
                  <>
                    : <Foreign text={seenLine(description, 300)} />
                  </>
                )}
              </span>
            </span>
            <Field
              property={property}
              isRequired={required.includes(name)}
              text={typed[name] ?? ''}
              onType={(text) => onType(name, text)}
            />
          </label>
        )
      })}
    </>
  )
}

interface FieldProps {
  readonly property: JsonObject
  readonly isRequired: boolean
  readonly text: string
  readonly onType: (text: string) => void
}

function Field({ property, isRequired, text, onType }: FieldProps): JSX.Element {
  const choices = choicesOf(property)
  if (choices.length > 0)
    return (
      <select
        required={isRequired}
        value={text}
        onChange={(event) => onType(event.currentTarget.value)}
      >
        <option value="" />
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {seenLine(choice, 100)}
          </option>
        ))}
      </select>
    )
  const isText = typesOf(property).every((type) => type !== 'array' && type !== 'object')
  return (
    <textarea
      rows={isText ? 1 : 3}
      spellcheck={false}
      required={isRequired}
      placeholder={isText ? '' : 'JSON'}
      value={text}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  )
}

function choicesOf(property: JsonObject): readonly string[] {
  const types = typesOf(property)
  if (types.length === 1 && types[0] === 'boolean') return ['true', 'false']
  return listOf(property['enum'])
}

/** An argument that was left empty is not sent. Anything but text is read as JSON; the kernel refuses a wrong type. */
export function argumentsFrom(schema: JsonObject, typed: Typed): Readonly<Record<string, Json>> {
  const names = declaredArguments(schema).filter((name) => (typed[name] ?? '') !== '')
  return Object.fromEntries(
    names.map((name) => [name, valueOf(typed[name] ?? '', propertyOf(schema, name))]),
  )
}

function valueOf(text: string, property: JsonObject): Json {
  const types = typesOf(property)
  if (types.includes('string')) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function propertyOf(schema: JsonObject, name: string): JsonObject {
  const properties = schema['properties'] as JsonObject
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  return typeof property === 'object' && property !== null && !Array.isArray(property)
    ? (property as JsonObject)
    : {}
}

function listOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
