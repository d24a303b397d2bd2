/**
 * Messages that hold a secret and must be deleted. Each deletion is stored before the message is processed, so that a
 * crash only delays it: the next start carries it out.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Audit, Log, Notes } from '../../kernel/ports.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { MessageRef } from '../../kernel/receive.ts'
import type { Outlet } from '../../ports/setup-port.ts'

const KIND = 'setup.deletion'
/** After this, no channel deletes a message any more. */
const MAX_AGE_MS = 48 * 60 * 60_000

interface Deps {
  readonly owner: Principal
  readonly notes: Notes
  readonly outlet: Pick<Outlet, 'remove'>
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly now: () => number
}

export interface PendingDeletions {
  /** The deletion is stored when this returns. */
  plan(message: MessageRef): Promise<PlannedDeletion>
  /** Carries out the deletions that an earlier run left. True if all those messages are gone now. */
  retry(): Promise<boolean>
}

export interface PlannedDeletion {
  /** False if the message could not be deleted now; the next start tries again. */
  carryOut(): Promise<boolean>
}

const noteShape = z.object({
  message: z.object({ channel: z.string(), chat: z.string(), message: z.string() }),
  at: z.number(),
})

export function createPendingDeletions(deps: Deps): PendingDeletions {
  const { owner, notes } = deps
  const carryOut = async (id: string, message: MessageRef): Promise<boolean> => {
    const isDeleted = await remove(deps, message)
    const details = { deleted: isDeleted, channel: message.channel }
    deps.audit.append({ kind: 'setup.delete', principal: owner.id, details })
    if (isDeleted) await notes.remove(KIND, id)
    return isDeleted
  }
  return {
    async plan(message) {
      const id = randomUUID()
      await notes.put(KIND, id, JSON.stringify({ message, at: deps.now() }))
      return { carryOut: () => carryOut(id, message) }
    },
    async retry() {
      let isAllGone = true
      for (const { id, content } of await notes.list(KIND)) {
        const note = parseNote(content)
        const isGone = note !== undefined && (await carryOut(id, note.message))
        const isHopeless = note === undefined || deps.now() - note.at > MAX_AGE_MS
        if (!isGone && isHopeless) await notes.remove(KIND, id)
        isAllGone &&= isGone
      }
      return isAllGone
    },
  }
}

/** Undefined if the note is damaged, so that its message is unknown. */
function parseNote(content: string): z.infer<typeof noteShape> | undefined {
  try {
    return noteShape.parse(JSON.parse(content))
  } catch {
    return undefined
  }
}

async function remove({ outlet, log }: Deps, message: MessageRef): Promise<boolean> {
  try {
    return await outlet.remove(message)
  } catch (error) {
    log.warn('A message that holds a secret could not be deleted', { error })
    return false
  }
}
