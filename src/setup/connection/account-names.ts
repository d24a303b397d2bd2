/**
 * The names of the accounts behind servers, as their providers tell them: for people to tell accounts apart. Untrusted
 * text, kept short and on one line, shown in quotes, and never used to decide anything.
 */
import type { Notes } from '../../kernel/ports.ts'
import type { Json } from '../../text/json.ts'
import { holdsKnownToken } from '../../text/looks-secret.ts'
import { seenLine } from '../../text/untrusted-text.ts'

const KIND = 'setup.account'
const LONGEST = 80

export interface AccountNames {
  find(server: string): Promise<string | undefined>
  /** Undefined for an account that is not known by name: an older name is dropped. */
  put(server: string, account: string | undefined): Promise<void>
  forget(server: string): Promise<void>
  /** The servers among these that are known to be signed in to this account. */
  sharing(account: string, servers: readonly string[]): Promise<readonly string[]>
}

export function createAccountNames(notes: Notes): AccountNames {
  const forget = (server: string): Promise<void> => notes.remove(KIND, server)
  return {
    forget,
    async find(server) {
      return (await notes.list(KIND)).find(({ id }) => id === server)?.content
    },
    put: (server, account) =>
      account === undefined ? forget(server) : notes.put(KIND, server, account),
    async sharing(account, servers) {
      const all = await notes.list(KIND)
      return all.flatMap(({ id, content }) =>
        content === account && servers.includes(id) ? [id] : [],
      )
    },
  }
}

/** A name that can be shown; undefined if there is none, or if it would show a token. */
export function accountName(told: unknown): string | undefined {
  if (typeof told !== 'string') return undefined
  const name = seenLine(told.slice(0, 10 * LONGEST), LONGEST)
  return name === '' || holdsKnownToken(name) ? undefined : name
}

/** The name at a path in an answer: `user.email`. */
export function accountAt(answer: Json | undefined, path: string): string | undefined {
  let found: unknown = answer
  for (const step of path.split('.')) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, step)
    found = isThere ? Reflect.get(found as object, step) : undefined
  }
  return accountName(found)
}
