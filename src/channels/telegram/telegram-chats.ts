/** Chats that Cordon begins to talk in by itself: the private chats of people who are paired. Never a group. */
import type { Chats } from '../../ports/delivery-port.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { deliver } from '../../labels/sink.ts'
import { cutText } from '../../text/untrusted-text.ts'
import type { Person } from './pairings.ts'
import { createRecipient, type Recipient } from './recipient.ts'
import type { Sender } from './sender.ts'
import { nobodyThere } from './telegram-errors.ts'

interface ChatsDeps {
  readonly people: () => readonly Person[]
  /** Throws the reason if Telegram cannot be reached before `signal` aborts. */
  readonly reach: (signal: AbortSignal) => Promise<Sender>
}

export function createTelegramChats({ people, reach }: ChatsDeps): Chats {
  const recipients = (): readonly Recipient[] =>
    people().map((person) => createRecipient(person.id, person, false))
  return {
    sinks: () => recipients().map(({ sink }) => sink),
    async open(name, signal) {
      const to = recipients().find(({ sink }) => sink.name === name)
      if (!to) throw nobodyThere()
      const sender = await reach(signal)
      return { send: (text, limit) => say(sender, to, text, limit) }
    },
  }
}

async function say(
  sender: Sender,
  to: Recipient,
  text: Labelled,
  signal: AbortSignal,
): Promise<void> {
  const delivery = deliver(text, to.sink)
  const said =
    delivery.kind === 'shown'
      ? { text: bounded(delivery.value as string), level: text.label.level }
      : { text: delivery.reason, level: 'public' as const }
  await sender.say(to, said, signal)
}

/** Three messages or so: nobody reads a megabyte in a chat. */
const LONGEST = 12_000

function bounded(text: string): string {
  if (text.length <= LONGEST) return text
  return `${cutText(text, LONGEST)}\n(The rest is in the run: \`cordon flow runs\` in a shell.)`
}
