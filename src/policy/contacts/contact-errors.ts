/** The reasons for refusing a contact, as errors. */
import { CordonError } from '../../kernel/error.ts'

export function noSuchContact(name: string): CordonError {
  return new CordonError(
    'contacts.unknown',
    { exit: 2, hint: 'Run `cordon contacts list`' },
    `There is no contact ${JSON.stringify(name)} with that address`,
  )
}

export function notAContact(why: string): CordonError {
  return new CordonError(
    'contacts.invalid',
    { exit: 2, hint: 'For example: cordon contacts add "Ada Lovelace" ada@example.com' },
    `Cannot add the contact: ${why}`,
  )
}

export function tooManyContacts(most: number): CordonError {
  return new CordonError(
    'contacts.too-many',
    { exit: 2, hint: 'Remove some with `cordon contacts remove NAME`' },
    `Cannot add the contact: the book holds ${most}, which is the most`,
  )
}
