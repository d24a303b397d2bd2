/**
 * Adds each answered message to the history. A message that setup took may be a credential, and is kept as a note in
 * its place. A turn that cannot be written is logged: the answer is worth more than its record.
 */
import { CordonError } from '../kernel/error.ts'
import type { Memory, RecordTurn } from '../ports/memory-port.ts'
import type { Log } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import {
  channelOf,
  conversationOf,
  type Meant,
  type Message,
  type Reply,
} from '../kernel/receive.ts'
import { type Label, OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'

export interface RecordDeps {
  readonly owner: PrincipalId
  readonly memory: Pick<Memory, 'addTurn'>
  readonly log: Log
  /** Whether a connection waits for a credential. */
  readonly isSecretAsked: () => boolean
}

/** In place of a message that was, or may have been, a credential. */
const PASTED = '[credential pasted]'

export function createRecordTurn({ owner, memory, log, isSecretAsked }: RecordDeps): RecordTurn {
  const keep = async (message: Message, said: string, answer: Labelled): Promise<void> => {
    const place = { channel: channelOf(message), conversation: conversationOf(message) }
    await memory.addTurn({ ...place, said, answer }).catch((error: unknown) => {
      log.warn('A turn was not kept', { error })
    })
  }
  return async (by, message, answer) => {
    if (message.principal.id !== owner) return await answer()
    const mayBeSecret = by === 'setup' && isSecretAsked() && !CANCEL.test(message.text)
    const reply = await answer().catch(async (error: unknown) => {
      // Setup failed before it could say whether the message was a credential.
      const said = by === 'setup' ? PASTED : message.text
      await keep(message, said, new Labelled(reasonOf(error), { label: OWN_WORDS }))
      throw error
    })
    const text = reply && answerOf(reply)
    const said = mayBeSecret || wasSecret(reply) ? PASTED : message.text
    if (text) await keep(message, said, text)
    return reply
  }
}

const CANCEL = /^\s*cancel\s*$/i

function wasSecret(reply: Reply | Meant | undefined): boolean {
  return reply?.kind === 'text' && reply.wasSecret === true
}

/** Undefined for an answer that must not be in the history. */
function answerOf(reply: Reply | Meant): Labelled | undefined {
  // A turn keeps its own answer, when it has one; a sentence that stands for a yes is kept with the answer to it.
  if (reply.kind === 'unanswered' || reply.kind === 'turn' || reply.kind === 'meant')
    return undefined
  if (reply.kind === 'text' && reply.isUnrecorded === true) return undefined
  const servers = (reply.kind === 'text' && reply.from) || []
  return new Labelled(reply.text, { label: servers.length > 0 ? labelOf(servers) : OWN_WORDS })
}

/** The words of servers, of which nobody wrote a level down. */
function labelOf(servers: readonly string[]): Label {
  return { integrity: 'external', level: 'sensitive', origins: new Set(servers) }
}

function reasonOf(error: unknown): string {
  return error instanceof CordonError ? error.message : 'Something broke.'
}
