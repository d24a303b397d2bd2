/**
 * The owner's contact book. Only the owner writes it, so an address in it is one that they know; what a server sends
 * never gets here. Decisions read the copy in memory. Two contacts that can be confused with each other by eye are
 * refused: an approval shows an address, and the owner must be able to tell whose it is.
 */
import type { Acquaintance, Contact, Contacts, ImportedContacts } from '../../ports/contact-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Audit, Notes } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Json } from '../../text/json.ts'
import { disguiseOf, plainName } from '../../text/look-alike.ts'
import { addressKey, MOST_CHARACTERS } from './address-key.ts'
import { ContactIndex } from './contact-index.ts'
import { noSuchContact, notAContact, tooManyContacts } from './contact-errors.ts'
import { readCards } from './read-cards.ts'

export interface ContactDeps {
  readonly owner: PrincipalId
  readonly notes: Notes
  readonly audit: Pick<Audit, 'appendDurable'>
}

const KIND = 'contact'
const MOST_CONTACTS = 10_000
const MOST_ADDRESSES = 50
const MOST_NAME = 200

export interface OwnedContacts extends Contacts {
  /** Undefined unless every text in the value is the address of a contact. `words` is the owner's text of the task. */
  acquaintance(value: Json, words: string | undefined): Acquaintance | undefined
}

export async function openContacts(deps: ContactDeps): Promise<OwnedContacts> {
  const book = new ContactBook(deps)
  await book.reload()
  return {
    async list() {
      await book.reload()
      return book.sorted()
    },
    add: (contact) => book.add(contact),
    remove: (name, address) => book.remove(name, address),
    importCards: (text) => book.importCards(text),
    acquaintance: (value, words) => book.acquaintance(value, words),
  }
}

class ContactBook {
  readonly #deps: ContactDeps
  #index = new ContactIndex()

  constructor(deps: ContactDeps) {
    this.#deps = deps
  }

  async reload(): Promise<void> {
    const index = new ContactIndex()
    for (const { id, content } of await this.#deps.notes.list(KIND))
      index.put(id, readContact(content))
    this.#index = index
  }

  sorted(): readonly Contact[] {
    return this.#index.all().toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  acquaintance(value: Json, words: string | undefined): Acquaintance | undefined {
    const texts = Array.isArray(value) ? (value as readonly Json[]) : [value]
    if (this.#index.size === 0 || texts.length === 0) return undefined
    let isNamed = true
    for (const text of texts) {
      const found = typeof text === 'string' ? this.#relation(text, words) : undefined
      if (!found) return undefined
      isNamed = isNamed && found === 'named'
    }
    return isNamed ? 'named' : 'known'
  }

  #relation(text: string, words: string | undefined): Acquaintance | undefined {
    const key = addressKey(text)
    const [id, ...others] = key === undefined ? [] : this.#index.owners(key)
    if (id === undefined) return undefined
    const name = others.length === 0 ? this.#index.get(id)?.name : undefined
    return name !== undefined && words !== undefined && isNamedIn(words, name) ? 'named' : 'known'
  }

  async add({ name, addresses }: Contact): Promise<Contact> {
    await this.reload()
    const contact = this.#checked(name, addresses)
    await this.#note('contact.added', contact.name, contact.addresses.length)
    return await this.#put(contact)
  }

  async remove(name: string, address?: string): Promise<void> {
    await this.reload()
    const id = plainName(name)
    const contact = this.#index.get(id)
    if (!contact) throw noSuchContact(name)
    const key = address === undefined ? undefined : addressKey(address)
    const left = contact.addresses.filter((one) => addressKey(one) !== key)
    if (address !== undefined && left.length === contact.addresses.length) throw noSuchContact(name)
    if (address !== undefined && left.length > 0) {
      await this.#note('contact.removed', contact.name, 1)
      await this.#put({ ...contact, addresses: left })
      return
    }
    await this.#note('contact.removed', contact.name, contact.addresses.length)
    await this.#deps.notes.remove(KIND, id)
    this.#index.delete(id)
  }

  async importCards(text: string): Promise<ImportedContacts> {
    await this.reload()
    const { contacts, unreadable } = readCards(text)
    const all = contacts.reduce((sum, { addresses }) => sum + addresses.length, 0)
    // One record for the import: a record for each of thousands of people would take minutes.
    if (contacts.length > 0)
      await this.#note('contact.added', `${contacts.length} of an import`, all)
    const added: Contact[] = []
    const skipped = Array.from({ length: unreadable }, () => ({
      name: '',
      why: 'it cannot be read',
    }))
    for (const { name, addresses } of contacts) {
      try {
        added.push(await this.#put(this.#checked(name, addresses)))
      } catch (error) {
        if (!(error instanceof CordonError)) throw error
        skipped.push({ name, why: error.message.replace('Cannot add the contact: ', '') })
      }
    }
    return { added, skipped }
  }

  /** The contact as it will be, with the addresses that it has already. */
  #checked(name: string, addresses: readonly string[]): Contact {
    const clean = name.normalize('NFC').trim().replace(/\s+/g, ' ')
    const id = plainName(clean)
    if (id === '' || clean.length > MOST_NAME)
      throw notAContact(`it needs a name of at most ${MOST_NAME} characters`)
    const before = this.#index.get(id)
    if (!before && this.#index.size >= MOST_CONTACTS) throw tooManyContacts(MOST_CONTACTS)
    this.#refuseDouble(clean, id)
    return { name: before?.name ?? clean, addresses: this.#together(id, addresses) }
  }

  #together(id: string, addresses: readonly string[]): readonly string[] {
    const before = this.#index.get(id)?.addresses ?? []
    const all = new Map(before.map((one) => [addressKey(one) ?? one, one]))
    for (const one of addresses) all.set(this.#checkedKey(one, id), one.trim())
    if (all.size === 0) throw notAContact('it has no address')
    if (all.size > MOST_ADDRESSES) throw notAContact(`it has more than ${MOST_ADDRESSES} addresses`)
    return [...all.values()]
  }

  #checkedKey(address: string, id: string): string {
    const key = addressKey(address)
    const shown = JSON.stringify(address.slice(0, MOST_CHARACTERS))
    if (key === undefined) throw notAContact(`${shown} is no address`)
    if (address.split(/[@.]/).some((word) => disguiseOf(word)))
      throw notAContact(`${shown} has letters of an alphabet that can be read as another`)
    const other = this.#index.addressAlike(key, id)
    if (other) throw notAContact(`${shown} looks like an address of ${JSON.stringify(other.name)}`)
    return key
  }

  #refuseDouble(name: string, id: string): void {
    if (disguiseOf(name.replace(/\s/g, ''))?.kind === 'mixed')
      throw notAContact(`${JSON.stringify(name)} mixes letters of several alphabets`)
    const other = this.#index.nameAlike(name, id)
    if (other) throw notAContact(`${JSON.stringify(name)} looks like ${JSON.stringify(other.name)}`)
  }

  async #put(contact: Contact): Promise<Contact> {
    const id = plainName(contact.name)
    await this.#deps.notes.put(KIND, id, JSON.stringify(contact))
    this.#index.put(id, contact)
    return contact
  }

  /** The audit log holds no addresses, only how many there are. */
  async #note(
    kind: 'contact.added' | 'contact.removed',
    subject: string,
    addresses: number,
  ): Promise<void> {
    const { audit, owner } = this.#deps
    await audit.appendDurable({ kind, principal: owner, subject, details: { addresses } })
  }
}

/** A row that cannot be read is a contact without addresses: it allows nothing, and can be removed. */
function readContact(content: string): Contact {
  try {
    const { name, addresses } = JSON.parse(content) as Partial<Contact>
    const isWhole = typeof name === 'string' && Array.isArray(addresses)
    if (isWhole) return { name, addresses: addresses.filter((one) => typeof one === 'string') }
  } catch {
    // Falls through.
  }
  return { name: 'unreadable', addresses: [] }
}

/** Whether the text names the person as a whole word, in any case. */
function isNamedIn(words: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`, 'iu').test(words)
}
