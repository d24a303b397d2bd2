/** Routes about the owner's contact book. A page may read it; it is changed from a terminal. */
import { z } from 'zod'
import type { Contact, Contacts, ImportedContacts } from '../ports/contact-port.ts'
import { nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface ContactContract {
  'contacts.list': {
    surface: 'any'
    input: Nothing
    output: { readonly contacts: readonly Contact[] }
  }
  'contacts.add': {
    input: { readonly name: string; readonly addresses: readonly string[] }
    output: Contact
  }
  'contacts.remove': {
    input: { readonly name: string; readonly address?: string }
    output: Nothing
  }
  /** `text` is the content of a vCard file. */
  'contacts.import': { input: { readonly text: string }; output: ImportedContacts }
}

export interface ContactDeps {
  readonly contacts: Contacts
}

const name = z.string().min(1).max(1000)
const address = z.string().min(1).max(1000)

export function contactRoutes({ contacts }: ContactDeps): Routes<ContactContract> {
  return {
    'contacts.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ contacts: await contacts.list() }),
    },
    'contacts.add': {
      surface: 'terminal',
      input: z.strictObject({ name, addresses: z.array(address).min(1).max(100) }),
      handle: (contact) => contacts.add(contact),
    },
    'contacts.remove': {
      surface: 'terminal',
      input: z.strictObject({ name, address: address.exactOptional() }),
      async handle({ name: of, address: one }) {
        await contacts.remove(of, one)
        return {}
      },
    },
    'contacts.import': {
      surface: 'terminal',
      input: z.strictObject({ text: z.string().max(5_000_000) }),
      handle: ({ text }) => contacts.importCards(text),
    },
  }
}
