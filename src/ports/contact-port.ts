/** The owner's contact book: people whom the owner named themselves, each with the addresses that are theirs. */

export interface Contact {
  readonly name: string
  /** Mail addresses, telephone numbers, accounts: as the owner wrote them. */
  readonly addresses: readonly string[]
}

export interface ImportedContacts {
  readonly added: readonly Contact[]
  /** Names that were left out, each with the reason. */
  readonly skipped: readonly { readonly name: string; readonly why: string }[]
}

export interface Contacts {
  /** By name. Reads the store, so that the changes of other processes are included. */
  list(): Promise<readonly Contact[]>
  /** Adds addresses to the contact of this name, or a new contact. */
  add(contact: Contact): Promise<Contact>
  /** Removes one address, or the whole contact. */
  remove(name: string, address?: string): Promise<void>
  /** Reads vCard text, versions 2.1 to 4.0. One card that cannot be read loses no other. */
  importCards(text: string): Promise<ImportedContacts>
}

/**
 * How a value is related to the contact book. `named`: the owner's own words for this task name the one contact whose
 * address it is. `known`: it is the address of a contact.
 */
export type Acquaintance = 'named' | 'known'
