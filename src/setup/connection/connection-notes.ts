/** Flows under way, written down between two steps so that they outlive a crash. Holds no credential: a flow has none. */
import { z } from 'zod'
import type { Log, Notes } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Flow } from './connection.ts'

const KIND = 'setup.flow'
/** A note of another version is from another Cordon, and is not guessed at. */
const VERSION = 1

const noteShape = z.object({
  version: z.literal(VERSION),
  flow: z.looseObject({
    id: z.string(),
    service: z.looseObject({ slug: z.string(), title: z.string() }),
    expiresAt: z.number(),
    turn: z.number(),
    state: z.looseObject({ kind: z.string() }),
  }),
})

export interface FlowNotes {
  put(flow: Flow): Promise<void>
  remove(flow: Flow): Promise<void>
  list(): Promise<readonly Flow[]>
}

/** Whether the note that is there leads back to this state after a crash, so that it need not be written again. */
export function isImplied(before: Flow, { state, found }: Flow): boolean {
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

export function createFlowNotes(notes: Notes, owner: PrincipalId, log: Log): FlowNotes {
  return {
    put: (flow) => notes.put(owner, KIND, flow.id, JSON.stringify({ version: VERSION, flow })),
    remove: ({ id }) => notes.remove(owner, KIND, id),
    async list() {
      const flows: Flow[] = []
      for (const { id, content } of await notes.list(owner, KIND)) {
        const flow = parse(content)
        if (flow) flows.push(flow)
        else {
          log.warn('A connect flow of another version is dropped', { flow: id })
          await notes.remove(owner, KIND, id)
        }
      }
      return flows
    },
  }
}

function parse(content: string): Flow | undefined {
  try {
    // Cordon's own words: the outer shape says that they are whole and of this version.
    return noteShape.parse(JSON.parse(content)).flow as unknown as Flow
  } catch {
    return undefined
  }
}
