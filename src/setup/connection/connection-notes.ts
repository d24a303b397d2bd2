/** Flows under way, written down between two steps so that they outlive a crash. Holds no credential: a flow has none. */
import { z } from 'zod'
import type { Log, Notes } from '../../kernel/ports.ts'
import type { Connection } from './connection.ts'

const KIND = 'setup.flow'
/** A note of another version is from another Cordon, and is not guessed at. */
const VERSION = 1

const noteShape = z.object({
  version: z.literal(VERSION),
  connection: z.looseObject({
    id: z.string(),
    service: z.looseObject({ slug: z.string(), title: z.string() }),
    expiresAt: z.number(),
    turn: z.number(),
    state: z.looseObject({ kind: z.string() }),
  }),
})

export interface ConnectionNotes {
  put(connection: Connection): Promise<void>
  remove(connection: Connection): Promise<void>
  list(): Promise<readonly Connection[]>
}

/** Whether the note that is there leads back to this state after a crash, so that it need not be written again. */
export function isImplied(before: Connection, { state, found }: Connection): boolean {
  switch (state.kind) {
    case 'installing': // what was stored in the vault is found there again
      return (
        before.state.kind === 'storing' &&
        found.refs[before.state.key]?.startsWith('vault:') === true
      )
    case 'verifying': // work that was cut short is done again from its start
    case 'connected': // the note is removed next
      return true
    default:
      return false
  }
}

export function createConnectionNotes(notes: Notes, log: Log): ConnectionNotes {
  return {
    put: (connection) =>
      notes.put(KIND, connection.id, JSON.stringify({ version: VERSION, connection })),
    remove: ({ id }) => notes.remove(KIND, id),
    async list() {
      const connections: Connection[] = []
      for (const { id, content } of await notes.list(KIND)) {
        const connection = parse(content)
        if (connection) connections.push(connection)
        else {
          log.warn('A connect flow of another version is dropped', { connection: id })
          await notes.remove(KIND, id)
        }
      }
      return connections
    },
  }
}

function parse(content: string): Connection | undefined {
  try {
    // Cordon's own words: the outer shape says that they are whole and of this version.
    return noteShape.parse(JSON.parse(content)).connection as unknown as Connection
  } catch {
    return undefined
  }
}
