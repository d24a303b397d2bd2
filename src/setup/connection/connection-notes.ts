/** Unfinished connections, stored between two steps so that they survive a crash. Never holds a credential. */
import { z } from 'zod'
import type { Log, Notes } from '../../kernel/ports.ts'
import type { Connection } from './connection.ts'

const KIND = 'setup.flow'
/** A note of another version was written by another version of Cordon, and is dropped. */
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

/** Whether the stored note leads to this state after a crash, so that the note need not be written again. */
export function isImplied(before: Connection, { state, found }: Connection): boolean {
  switch (state.kind) {
    case 'installing': // a credential stored in the vault is found there again
      return (
        before.state.kind === 'storing' &&
        found.refs[before.state.key]?.startsWith('vault:') === true
      )
    case 'verifying': // interrupted work is repeated from its start
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
          log.warn('A connection of another version is dropped', { connection: id })
          await notes.remove(KIND, id)
        }
      }
      return connections
    },
  }
}

function parse(content: string): Connection | undefined {
  try {
    // Cordon wrote the note itself: the outer shape shows that it is complete and of this version.
    return noteShape.parse(JSON.parse(content)).connection as unknown as Connection
  } catch {
    return undefined
  }
}
