/** Small building blocks of every screen. Text is always a text node, whoever wrote it. */
import type { ComponentChildren, JSX } from 'preact'
import type { ServerBadge } from '../../../kernel/server-state.ts'
import { seenText } from '../../../text/untrusted-text.ts'
import type { Live } from '../live.ts'
import { Loading } from './loading.tsx'

export interface CardProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Beside the title. */
  readonly aside?: ComponentChildren
}

export function Card({ title, children, aside }: CardProps): JSX.Element {
  return (
    <section class="card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

export function Badge({
  tone,
  text,
}: {
  readonly tone: string
  readonly text: string
}): JSX.Element {
  return <span class={`badge ${tone}`}>{text}</span>
}

const STATES = {
  connected: 'Connected',
  idle: 'Idle',
  error: 'Error',
  disabled: 'Disabled',
} as const

export function StateBadge({ badge }: { readonly badge: ServerBadge }): JSX.Element {
  return <Badge tone={badge} text={STATES[badge]} />
}

/** A sentence of Cordon in which text between backticks is shown as code. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  const parts = text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))
  return <p>{parts}</p>
}

/** Text that a server or a stranger wrote: isolated, so that its direction marks end with it, and unseen signs shown. */
export function Foreign({ text }: { readonly text: string }): JSX.Element {
  return <bdi class="foreign">{seenText(text)}</bdi>
}

/** An account as its provider names it: `@ann`, or an address as it is. */
export function Account({ name }: { readonly name: string }): JSX.Element {
  return <Foreign text={name.includes('@') ? name : `@${name}`} />
}

/** A date of the API as the person's own clock shows it; the whole date is in its tooltip. */
export function Time({ iso }: { readonly iso: string }): JSX.Element {
  const date = new Date(iso)
  return (
    <time dateTime={iso} title={WHOLE.format(date)}>
      {shortTime(date)}
    </time>
  )
}

/** The time of a moment of today, the day of any other. */
export function shortTime(date: Date): string {
  const midnight = new Date().setHours(0, 0, 0, 0)
  const isToday = date.getTime() >= midnight && date.getTime() < midnight + DAY_MS
  return (isToday ? CLOCK : DAY).format(date)
}

const DAY_MS = 86_400_000

// Made once: a formatter takes longer to make than a list of records takes to draw.
const CLOCK = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat([], { day: 'numeric', month: 'short' })
const WHOLE = new Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'medium' })

/** Data of the API once it is there; until then that it is on the way, or why it is not. */
export function Shown<T>({
  live,
  what,
  children,
}: {
  readonly live: Live<T>
  readonly what: string
  readonly children: (data: T) => ComponentChildren
}): JSX.Element {
  const data = live.data.value
  if (data !== undefined) return <>{children(data)}</>
  const error = live.error.value
  if (!error) return <Loading what={what} />
  return (
    <div class="failure" role="alert">
      <p>{error.message}.</p>
      <Prose text={`${error.hint}.`} />
      <button type="button" onClick={() => void live.reload()}>
        Try again
      </button>
    </div>
  )
}

export function plural(n: number, noun: string): string {
  return `${n === 0 ? 'no' : n} ${noun}${n === 1 ? '' : 's'}`
}
