/** The contacts in memory, found by name, by address, and by what looks like either. Pure but for its own maps. */
import type { Contact } from '../../ports/contact-port.ts'
import { foldName, lookOf, plainName } from '../../text/look-alike.ts'
import { addressKey } from './address-key.ts'

export class ContactIndex {
  readonly #contacts = new Map<string, Contact>()
  readonly #byKey = new Map<string, Set<string>>()
  readonly #byLook = new Map<string, Set<string>>()
  readonly #byFold = new Map<string, Set<string>>()

  get size(): number {
    return this.#contacts.size
  }

  all(): readonly Contact[] {
    return [...this.#contacts.values()]
  }

  get(id: string): Contact | undefined {
    return this.#contacts.get(id)
  }

  /** The ids of the contacts with this address. */
  owners(key: string): ReadonlySet<string> {
    return this.#byKey.get(key) ?? new Set()
  }

  put(id: string, contact: Contact): void {
    this.delete(id)
    this.#contacts.set(id, contact)
    for (const [map, key] of this.#places(contact)) {
      map.set(key, (map.get(key) ?? new Set()).add(id))
    }
  }

  delete(id: string): void {
    const contact = this.#contacts.get(id)
    if (!contact) return
    this.#contacts.delete(id)
    for (const [map, key] of this.#places(contact)) map.get(key)?.delete(id)
  }

  /** A contact with a look-alike name, other than `id`. */
  nameAlike(name: string, id: string): Contact | undefined {
    const [other] = [...(this.#byFold.get(foldName(name)) ?? [])].filter((one) => one !== id)
    return other === undefined ? undefined : this.#contacts.get(other)
  }

  /** A contact with a look-alike address, other than `id`: `paypa1@…` and `paypal@…`. */
  addressAlike(key: string, id: string): Contact | undefined {
    const others = [...(this.#byLook.get(lookOf(key)) ?? [])].filter((one) => one !== id)
    const plain = plainName(key)
    return others
      .map((one) => this.#contacts.get(one))
      .find((one) => one?.addresses.some((address) => isAlike(addressKey(address), key, plain)))
  }

  /** The maps, with the keys under which this contact is found in each. */
  #places({ name, addresses }: Contact): readonly (readonly [Map<string, Set<string>>, string])[] {
    const keys = addresses.flatMap((address) => addressKey(address) ?? [])
    return [
      [this.#byFold, foldName(name)],
      ...keys.map((key) => [this.#byKey, key] as const),
      ...keys.map((key) => [this.#byLook, lookOf(key)] as const),
    ]
  }
}

/** Dots and case are no difference that an eye would miss: `a.b@x` and `ab@x` are two people. */
function isAlike(other: string | undefined, key: string, plain: string): boolean {
  return other !== undefined && lookOf(other) === lookOf(key) && plainName(other) !== plain
}
