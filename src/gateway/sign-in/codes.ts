/**
 * The codes that the owner's yes gives to programs. They are in the store, so any kernel redeems what another gave. Each
 * works once: of several that redeem it at the same time one succeeds, and that it was used twice is on record before
 * anything is ended. Only hashes are stored.
 */
import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { SwappedNotes } from '../../ports/swapped-notes-port.ts'
import type { SignInRequest } from '../../ports/sign-in-port.ts'

const KIND = 'sign-in-code'
const CODE_MS = 60_000
const MOST_CODES = 100

export interface Code
  extends Pick<SignInRequest, 'clientId' | 'redirectUri' | 'challenge' | 'resource'> {
  readonly client: string
  /** When the client was registered. */
  readonly since: string
  readonly until: number
  readonly state: 'fresh' | 'used' | 'replayed'
}

const Stored: z.ZodType<Code> = z.object({
  client: z.string(),
  since: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  challenge: z.string(),
  resource: z.string(),
  until: z.number(),
  state: z.enum(['fresh', 'used', 'replayed']),
})

interface Row {
  readonly id: string
  readonly content: string
  readonly code: Code
}

export interface CodesDeps {
  readonly notes: SwappedNotes
  readonly now: () => number
}

export class Codes {
  readonly #deps: CodesDeps

  constructor(deps: CodesDeps) {
    this.#deps = deps
  }

  async create(client: string, since: string, request: SignInRequest): Promise<string> {
    const { notes, now } = this.#deps
    const { clientId, redirectUri, challenge, resource } = request
    const about = { clientId, redirectUri, challenge, resource }
    const secret = randomBytes(32).toString('base64url')
    const code: Code = { client, since, ...about, until: now() + CODE_MS, state: 'fresh' }
    const rows = (await this.#rows()).toSorted((a, b) => a.code.until - b.code.until)
    for (const { id } of rows.slice(0, Math.max(0, rows.length - MOST_CODES + 1))) {
      await notes.remove(KIND, id)
    }
    await notes.put(KIND, hashed(secret), JSON.stringify(code))
    return secret
  }

  /** The code, which is `fresh` for the first that uses it and `replayed` for everybody else; undefined if there is none. */
  async use(secret: string): Promise<Code | undefined> {
    const { notes } = this.#deps
    const row = await this.#find(secret)
    if (!row) return undefined
    const { id, content, code } = row
    const used = JSON.stringify({ ...code, state: 'used' })
    if (code.state === 'fresh' && (await notes.swap(KIND, id, content, used))) return code
    const replayed: Code = { ...code, state: 'replayed' }
    await notes.put(KIND, id, JSON.stringify(replayed))
    return replayed
  }

  /** Whether somebody has used it again since. */
  async isReplayed(secret: string): Promise<boolean> {
    return (await this.#find(secret))?.code.state === 'replayed'
  }

  async #find(secret: string): Promise<Row | undefined> {
    const wanted = hashed(secret)
    return (await this.#rows()).find(({ id }) => id === wanted)
  }

  async #rows(): Promise<readonly Row[]> {
    const rows = await this.#deps.notes.list(KIND)
    return rows.map((row) => ({ ...row, code: Stored.parse(JSON.parse(row.content)) }))
  }
}

function hashed(text: string): string {
  return hash('sha256', text)
}
