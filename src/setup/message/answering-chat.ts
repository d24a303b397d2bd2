/** The chat in which a connection takes its answers. All terminals are one: each of them asks for the hidden value. Pure. */
import { channelOf, conversationOf, type Message } from '../../kernel/receive.ts'

export function answeringChat(message: Message): string {
  const channel = channelOf(message)
  return channel === 'terminal' ? channel : conversationOf(message)
}
