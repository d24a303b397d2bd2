/**
 * One input of an entry (a variable, a header, an argument): fixed, to be asked for, or skipped. An input is secret if
 * the entry marks it, or if its name or value looks secret: publishers forget the mark.
 */
import { seenLine } from '../../text/untrusted-text.ts'
import { isSecretValue } from '../../text/looks-secret.ts'
import { isSecretName } from '../../text/secret-name.ts'
import { field, type Loose, recordOf, textOf } from './loose.ts'

export type EntryInput =
  | { readonly kind: 'fixed'; readonly value: string }
  | {
      readonly kind: 'ask'
      readonly isSecret: boolean
      readonly required: boolean
      /** For people, in the publisher's words. */
      readonly where?: string
    }
  | { readonly kind: 'skip' }

const VARIABLE = /\{([\w.-]+)\}/g
const MAX_VALUE = 4096

export function readInput(name: string, input: Loose): EntryInput {
  const value = fillIn(textOf(field(input, 'value')), input)
  const preset = value ?? textOf(field(input, 'default'))
  const isSecret = isSecretInput(name, input, preset ?? '')
  // A preset value for a secret is either a placeholder or a leak: the secret is asked for, and the value never kept.
  if (preset !== undefined && !isSecret && !holdsVariable(preset)) return fixed(preset)
  const required = field(input, 'isRequired') === true || value !== undefined
  return isSecret || required
    ? { kind: 'ask', isSecret, required, ...whereFrom(input) }
    : { kind: 'skip' }
}

/** Replaces `{port}` by the value or default in the entry; placeholders that only the owner can fill stay. */
export function fillIn(template: string | undefined, input: Loose): string | undefined {
  const variables = recordOf(field(input, 'variables'))
  return template?.replace(VARIABLE, (whole, name: string) => {
    const variable = recordOf(Object.hasOwn(variables, name) ? variables[name] : undefined)
    if (isMarkedSecret(variable)) return whole
    return textOf(field(variable, 'value')) ?? textOf(field(variable, 'default')) ?? whole
  })
}

export function holdsVariable(text: string): boolean {
  return text.search(VARIABLE) >= 0
}

function isSecretInput(name: string, input: Loose, preset: string): boolean {
  return isMarkedSecret(input) || isSecretName(name, 'declared') || isSecretValue(preset)
}

function isMarkedSecret(input: Loose): boolean {
  const variables = Object.values(recordOf(field(input, 'variables'))).slice(0, 20)
  return (
    field(input, 'isSecret') === true ||
    variables.some((one) => field(recordOf(one), 'isSecret') === true)
  )
}

function fixed(value: string): EntryInput {
  return value.length > MAX_VALUE || /[\0\r\n]/.test(value)
    ? { kind: 'skip' }
    : { kind: 'fixed', value }
}

function whereFrom(input: Loose): { readonly where?: string } {
  const choices = field(input, 'choices')
  const words = Array.isArray(choices) ? choices.slice(0, 10).map((one) => textOf(one) ?? '') : []
  const text = seenLine(textOf(field(input, 'description')) ?? '', 160)
  const listed = words.length === 0 ? '' : `one of ${seenLine(words.join(', '), 80)}`
  const said = [text, listed].filter((part) => part !== '').join('; ')
  return said === '' ? {} : { where: `its publisher says: ${said}` }
}
