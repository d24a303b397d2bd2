/**
 * Live data: what the API answered last, and a loop that follows the events of the kernel and asks anew for what they
 * concern. While the kernel is away the last answers stay on the screen, and the loop tries again until it is back.
 */
import { type ReadonlySignal, type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Input, Output, PageRoute } from '../../api/contract.ts'
import type { KernelEvent } from '../../api/events.ts'
import { ask, OFFLINE, Refused, signIn } from './ask.ts'
import { settle } from './toasts.ts'

/** `live`: events arrive. `away`: the kernel does not answer. */
export const connection: Signal<'live' | 'away'> = signal('live')

/** The beginning of the kinds of the events that concern it: `servers`, `approval`; `notices` are counted apart. */
export type Topic =
  | 'approval'
  | 'call'
  | 'catalog'
  | 'channels'
  | 'clients'
  | 'contact'
  | 'egress'
  | 'flows'
  | 'gateway'
  | 'grant'
  | 'kernel'
  | 'memory'
  | 'notices'
  | 'servers'
  | 'setup'
  | 'vault'

export interface Live<T> {
  readonly data: ReadonlySignal<T | undefined>
  readonly error: ReadonlySignal<Refused | undefined>
  /** Asks anew now. */
  readonly reload: () => Promise<void>
}

type Listener = (topics: ReadonlySet<string>) => void
const listeners = new Set<Listener>()
/** How often something was told: a reading that began before is not enough. */
const heard = { count: 0 }

/** The answer of a route, asked for again when an event of these topics arrives, and after every restart of the kernel. */
export function useLive<R extends PageRoute>(
  route: R,
  input: Input<R>,
  topics: readonly Topic[],
): Live<Output<R>> {
  const live = useAnswer(route, input)
  const { reload, key } = live
  // Read while it is drawn for the first time: so before all that is inside it, and not only after it is painted.
  const first = useRef<{ readonly key: string; readonly heard: number } | undefined>(undefined)
  if (!first.current) {
    first.current = { key, heard: heard.count }
    void reload()
  }
  useEffect(() => {
    const reading = createReading(reload)
    const listener: Listener = (changed) => {
      if (changed.has(ALL) || topics.some((topic) => changed.has(topic))) reading.again()
    }
    listeners.add(listener)
    const isRead = first.current?.key === key && first.current.heard === heard.count
    first.current = { key, heard: -1 }
    if (!isRead) void reload()
    return () => {
      listeners.delete(listener)
      reading.stop()
    }
  }, [route, key])
  return live
}

function useAnswer<R extends PageRoute>(
  route: R,
  input: Input<R>,
): Live<Output<R>> & { readonly key: string } {
  const data = useSignal<Output<R> | undefined>(undefined)
  const error = useSignal<Refused | undefined>(undefined)
  const key = JSON.stringify(input)
  const newest = useRef({ key, asked: 0, shown: 0, text: '' })
  newest.current.key = key
  const reload = async (): Promise<void> => {
    const asked = ++newest.current.asked
    // An answer to an earlier question, or one that was overtaken, would show what is no longer so.
    const isLate = (): boolean => newest.current.key !== key || asked < newest.current.shown
    try {
      const answer = await ask(route, input)
      if (isLate()) return
      newest.current.shown = asked
      error.value = undefined
      // Most readings after an event find what is shown already: drawing it again would be work for nothing.
      const text = JSON.stringify(answer)
      if (text === newest.current.text) return
      newest.current.text = text
      data.value = answer
    } catch (failure) {
      if (!(failure instanceof Refused)) throw failure
      if (!isLate()) error.value = failure
    }
  }
  return { data, error, reload, key }
}

/** Reads after an event: at once, once more for all events of the same burst, and until the change has settled. */
function createReading(reload: () => Promise<void>): { again(): void; stop(): void } {
  let soon: ReturnType<typeof setTimeout> | undefined
  let later: ReturnType<typeof setTimeout> | undefined
  // A record is written before the change that it tells of, and a server takes seconds to start.
  const settle = ([wait, ...rest]: readonly number[]): void => {
    clearTimeout(later)
    if (wait === undefined) return
    later = setTimeout(() => {
      void reload()
      settle(rest)
    }, wait)
  }
  return {
    again() {
      if (soon === undefined) void reload()
      soon ??= setTimeout(() => {
        soon = undefined
        void reload()
      }, BURST_MS)
      settle(SETTLED_MS)
    },
    stop() {
      clearTimeout(soon)
      clearTimeout(later)
    },
  }
}

/** The events of the last answer; `ServerNews` makes toasts of crashes among them. */
export const news: Signal<readonly KernelEvent[]> = signal([])

const BURST_MS = 40
const SETTLED_MS: readonly number[] = [1000, 4000]
const ALL = '*'
const RETRY_MS = 500

/** The loop that runs now: after a new sign-in, one that still waits for an answer is not to go on beside the next. */
const following = { loop: 0 }

/** Follows the events of the kernel until this browser is signed out. All that is shown already is read anew. */
export async function followEvents(): Promise<void> {
  const loop = ++following.loop
  const goesOn = (): boolean => signIn.value.kind === 'in' && loop === following.loop
  let at: Output<'events.follow'> | undefined
  tell(new Set([ALL]))
  while (goesOn()) {
    try {
      const next: Output<'events.follow'> = await ask(
        'events.follow',
        at ? { after: at.after, notices: at.notices, traffic: at.traffic } : {},
      )
      const isBack = connection.value === 'away' || (at !== undefined && at.boot !== next.boot)
      connection.value = 'live'
      settle(OFFLINE)
      if (isBack) tell(new Set([ALL]))
      else if (at) tell(topicsOf(at, next))
      if (next.events.length > 0) news.value = next.events
      at = next // numbers of records outlive a restart, so no event between is missed
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      connection.value = 'away'
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function topicsOf(
  before: Output<'events.follow'>,
  { events, notices, traffic }: Output<'events.follow'>,
): ReadonlySet<string> {
  const topics = new Set(events.map(({ kind }) => kind.slice(0, kind.indexOf('.'))))
  if (notices !== before.notices) topics.add('notices')
  if (traffic !== before.traffic) topics.add('egress')
  return topics
}

function tell(topics: ReadonlySet<string>): void {
  if (topics.size === 0) return
  heard.count += 1
  for (const listener of listeners) listener(topics)
}
