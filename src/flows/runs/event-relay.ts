/**
 * Events of runs that another kernel works on. A kernel that follows such a run asks for its events; the kernel that
 * works on the run sends them for a while, and nothing is sent about runs that nobody follows elsewhere.
 */
import { randomUUID } from 'node:crypto'
import type { FlowEvent } from '../../ports/flow-port.ts'
import { type KernelMessage, LONGEST_MESSAGE } from './kernel-messages.ts'
import type { LiveRuns } from './live-runs.ts'
import type { RunEvents } from './run-events.ts'

/** Events are sent for this long after a kernel asked; it asks again in half of the time, and sooner if none came. */
const FOLLOWED_MS = 20_000
const UNHEARD_MS = 1000
/** Events of so long are sent together. */
const GATHER_MS = 50

export interface EventRelay {
  /** Asks the kernel that works on the run for its events. */
  follow(run: string): void
  hear(message: KernelMessage): void
}

type RelayedEvents = Extract<KernelMessage, { readonly kind: 'events' }>

interface RelayDeps {
  readonly events: Pick<RunEvents, 'after' | 'tell' | 'onTold'>
  readonly live: LiveRuns
  readonly send: (message: KernelMessage) => Promise<void>
}

export function createEventRelay({ events, live, send }: RelayDeps): EventRelay {
  const by = randomUUID()
  const asked = new Map<string, number>()
  const followed = new Map<string, { until: number; sent: number }>()
  /** By run. A run that another process took over is numbered from its first event again. */
  const seen = new Map<string, { readonly by: string; readonly number: number }>()
  const sendNew = (run: string): void => {
    const follower = followed.get(run)
    if (!follower) return
    const news = events.after(run, follower.sent)
    follower.sent = news.at(-1)?.number ?? follower.sent
    for (const part of inParts(news)) {
      send({ kind: 'events', run, by, events: part }).catch(() => undefined) // the rows tell it too
    }
    if (follower.until < performance.now()) followed.delete(run)
  }
  const take = ({ run, by: theirs, events: news }: RelayedEvents): void => {
    for (const { number, at: _at, ...event } of news) {
      const last = seen.get(run)
      if (last?.by === theirs && number <= last.number) continue
      seen.set(run, { by: theirs, number })
      events.tell(run, event)
    }
  }
  events.onTold((run) => {
    if (followed.has(run)) setTimeout(sendNew, GATHER_MS, run).unref()
  })
  return {
    follow(run) {
      const now = performance.now()
      const last = seen.get(run)
      if ((asked.get(run) ?? -Infinity) > now - (last ? FOLLOWED_MS / 2 : UNHEARD_MS)) return
      for (const [old, at] of asked) {
        if (at >= now - FOLLOWED_MS) continue
        asked.delete(old)
        seen.delete(old)
      }
      asked.set(run, now)
      send({ kind: 'followed', run, ...(last && { last }) }).catch(() => undefined)
    },
    hear(message) {
      const { run } = message
      if (message.kind === 'followed' && live.has(run)) {
        // From the follower's last event on: a message may have been lost, and one that comes twice is told once.
        const sent = message.last?.by === by ? message.last.number : 0
        followed.set(run, { until: performance.now() + FOLLOWED_MS, sent })
        sendNew(run)
      }
      if (message.kind === 'events' && message.by !== by && asked.has(run)) take(message)
    },
  }
}

/** Parts that fit into one message. An event that is too long by itself goes without its arguments. */
function inParts(events: readonly FlowEvent[]): readonly (readonly FlowEvent[])[] {
  const parts: FlowEvent[][] = []
  let length = Infinity
  for (const event of events.map(shortened)) {
    const size = Buffer.byteLength(JSON.stringify(event))
    if (length + size > LONGEST_MESSAGE / 2) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(event)
    length += size
  }
  return parts
}

function shortened(event: FlowEvent): FlowEvent {
  if (Buffer.byteLength(JSON.stringify(event)) <= LONGEST_MESSAGE / 2) return event
  const { args: _args, ...rest } = event
  return { ...rest, text: rest.text.slice(0, 500) }
}
