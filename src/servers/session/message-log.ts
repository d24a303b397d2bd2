/**
 * The last protocol messages between Cordon and one server, for the owner to look at: in memory only, bounded, every
 * message masked before it is kept. The vault may be locked by the time somebody reads it, and then masks nothing.
 */
import type { Transport } from '@modelcontextprotocol/client'
import type { Redactor } from '../../kernel/ports.ts'
import type { ProtocolMessage } from '../../kernel/server-state.ts'
import { createRateLimit } from '../../text/rate-limit.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { isJsonObject } from './json-bounds.ts'
import { LineTransport } from './line-transport.ts'
import { showMessage } from './show-message.ts'

const MAX_SIZE = 128 * 1024
const MAX_MESSAGE = 4096
const MAX_METHOD = 200
/** Overhead of a message besides its text, so that the number of short ones is bounded too. */
const MESSAGE_COST = 128

/** Masking takes longer than most calls. Of a busy server only a part is kept, which gaps in the numbers show. */
const RATE = { atOnce: 100, perSecond: 20 }

export interface MessageLog {
  readonly add: (direction: ProtocolMessage['direction'], message: unknown) => void
  messages(): readonly ProtocolMessage[]
}

export function createMessageLog(redactor: Redactor, now: () => number): MessageLog {
  const kept: ProtocolMessage[] = []
  const redact = (text: string): string => redactor.redact(text)
  let size = 0
  let seq = 0
  const mayKeep = createRateLimit(RATE)
  return {
    add(direction, message) {
      seq += 1
      if (!mayKeep()) return
      const at = new Date(now()).toISOString()
      const text = showMessage(message, redact, MAX_MESSAGE)
      kept.push({ seq, at, direction, ...namesIn(message, redact), text })
      size += text.length + MESSAGE_COST
      while (size > MAX_SIZE) size -= (kept.shift()?.text.length ?? 0) + MESSAGE_COST
    },
    messages: () => [...kept],
  }
}

/** The id pairs an answer with its request; ids of the two sides are counted apart. */
function namesIn(
  message: unknown,
  redact: (text: string) => string,
): Pick<ProtocolMessage, 'id' | 'method' | 'isError'> {
  if (!isJsonObject(message)) return {}
  const { id, method, error } = message
  return {
    ...((typeof id === 'number' || typeof id === 'string') && {
      id: redact(seenLine(String(id), MAX_METHOD)),
    }),
    ...(typeof method === 'string' && { method: redact(seenLine(method, MAX_METHOD)) }),
    ...(error !== undefined && { isError: true as const }),
  }
}

/** Before the transport is connected: the SDK calls a listener that it finds there, and then its own. */
export function followMessages(transport: Transport, log: MessageLog): void {
  // Direct calls pass by the SDK: it neither sends them nor sees their answers.
  if (transport instanceof LineTransport) return transport.watch(log.add)
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    log.add('sent', message)
    return send(message, options)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have no other way
  transport.onmessage = (message) => log.add('received', message)
}
