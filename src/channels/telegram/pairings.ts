/**
 * The accounts that may talk to this home, and the one-time code by which an account is added. A code holds for ten
 * minutes and five guesses of anybody; it is kept as its hash. Everybody else is a stranger, and is never answered.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Notes } from '../../kernel/ports.ts'
import { OWNER, parsePrincipalId, type Principal } from '../../kernel/principal.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import { notPaired, ownerIsPaired } from './telegram-errors.ts'

/** `owner`: an account of the person whose home this is. `paired`: somebody else, who may talk and no more. */
export const ROLES = ['owner', 'paired'] as const
export type Role = (typeof ROLES)[number]

export interface Person {
  /** The id of the account at Telegram; also that of its private chat. */
  readonly id: string
  readonly name: string
  readonly role: Role
  /** ISO. */
  readonly pairedAt: string
}

export interface NewCode {
  readonly code: string
  readonly role: Role
  /** ISO. */
  readonly expiresAt: string
}

type Sender = Pick<Person, 'id' | 'name'>

export interface Pairings {
  list(): readonly Person[]
  find(id: string): Person | undefined
  owner(): Person | undefined
  /** Replaces an earlier code. Without a role: `owner` as long as there is none. */
  createCode(role: Role | undefined): Promise<NewCode>
  /** The new person if the text is the open code; undefined otherwise, whatever the reason. */
  tryCode(text: string, sender: Sender): Promise<Person | undefined>
  remove(id: string): Promise<Person>
  /** Forgets all accounts and the code. */
  clear(): Promise<void>
}

const PERSON = 'telegram.person'
const CODE = 'telegram.code'
const CODE_MS = 10 * 60_000
const MOST_GUESSES = 5
const MOST_PEOPLE = 50
const LONGEST_NAME = 60
/** Without letters that are taken for digits, and the other way round. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const SHAPE = new RegExp(`^[${ALPHABET}]{4}-?[${ALPHABET}]{4}$`)

const personShape = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  pairedAt: z.string(),
})
const codeShape = z.object({
  hash: z.string(),
  role: z.enum(ROLES),
  expiresAt: z.number(),
  guessesLeft: z.number(),
})

interface Deps {
  readonly notes: Notes
  readonly now: () => number
}

export async function openPairings(deps: Deps): Promise<Pairings> {
  const people = new Map<string, Person>()
  for (const { content } of await deps.notes.list(PERSON)) {
    const person = personShape.parse(JSON.parse(content))
    people.set(person.id, person)
  }
  return new KeptPairings(deps, people)
}

class KeptPairings implements Pairings {
  readonly #deps: Deps
  readonly #people: Map<string, Person>
  readonly #serially = createSerialQueue()

  constructor(deps: Deps, people: Map<string, Person>) {
    this.#deps = deps
    this.#people = people
  }

  list(): readonly Person[] {
    return [...this.#people.values()]
  }

  find(id: string): Person | undefined {
    return this.#people.get(id)
  }

  owner(): Person | undefined {
    return this.list().find(({ role }) => role === 'owner')
  }

  async createCode(wanted: Role | undefined): Promise<NewCode> {
    const { notes, now } = this.#deps
    const role = wanted ?? (this.owner() ? 'paired' : 'owner')
    if (role === 'owner' && this.owner()) throw ownerIsPaired()
    const code = newCode()
    const expiresAt = now() + CODE_MS
    const kept = { hash: hashOf(code), role, expiresAt, guessesLeft: MOST_GUESSES }
    await notes.put(CODE, CODE, JSON.stringify(kept))
    return { code, role, expiresAt: new Date(expiresAt).toISOString() }
  }

  async tryCode(text: string, sender: Sender): Promise<Person | undefined> {
    const { notes, now } = this.#deps
    const guess = text.trim().toUpperCase()
    if (!SHAPE.test(guess)) return undefined // ordinary words of a stranger use up no guess
    return await this.#serially(async () => {
      const role = await redeem(notes, guess, now())
      const isTaken = role === 'owner' && this.owner() !== undefined
      if (!role || isTaken || this.#people.size >= MOST_PEOPLE) return undefined
      const { id } = sender
      const name = seenLine(sender.name, LONGEST_NAME)
      const person = { id, name, role, pairedAt: new Date(now()).toISOString() }
      await notes.put(PERSON, id, JSON.stringify(person))
      this.#people.set(id, person)
      return person
    })
  }

  async remove(id: string): Promise<Person> {
    const person = this.#people.get(id)
    if (!person) throw notPaired(id)
    await this.#deps.notes.remove(PERSON, id)
    this.#people.delete(id)
    return person
  }

  async clear(): Promise<void> {
    const { notes } = this.#deps
    for (const { id } of await notes.list(PERSON)) await notes.remove(PERSON, id)
    await notes.remove(CODE, CODE)
    this.#people.clear()
  }
}

/** The role of the code if this is it. The guess is counted, on disk, before it is compared. */
async function redeem(notes: Notes, guess: string, now: number): Promise<Role | undefined> {
  const [note] = await notes.list(CODE)
  if (!note) return undefined
  const { guessesLeft, ...code } = codeShape.parse(JSON.parse(note.content))
  if (guessesLeft < 1 || now > code.expiresAt) {
    await notes.remove(CODE, CODE)
    return undefined
  }
  await notes.put(CODE, CODE, JSON.stringify({ ...code, guessesLeft: guessesLeft - 1 }))
  const isIt = timingSafeEqual(Buffer.from(hashOf(guess)), Buffer.from(code.hash))
  if (isIt) await notes.remove(CODE, CODE)
  return isIt ? code.role : undefined
}

function newCode(): string {
  const letters = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

function hashOf(code: string): string {
  return createHash('sha256').update(code.replace('-', '')).digest('hex')
}

/** The account of the owner acts as the owner; everybody else under an id of their own. */
export function principalFor({ id, role }: Pick<Person, 'id' | 'role'>): Principal {
  if (role === 'owner') return OWNER
  return { kind: 'paired', id: parsePrincipalId(`principal:telegram:peer:${id}`) }
}
