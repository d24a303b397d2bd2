/**
 * Short messages about what has just happened. A failure stays until it is closed or its reason is over; anything else
 * leaves by itself.
 */
import { effect, type Signal, signal } from '@preact/signals'
import { answered, OFFLINE, Refused } from './ask.ts'

export interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
  readonly hint?: string
  readonly act?: ToastAct
  /** A later message with the same subject replaces this one, and `settle` closes it. */
  readonly about?: string
}

/** The remedy that a toast offers. */
export interface ToastAct {
  readonly label: string
  readonly run: () => void
}

const SHOWN_MS = 6000

export const toasts: Signal<readonly Toast[]> = signal([])
const next = { id: 1 }

/** Leaves by itself. */
export function tellDone(text: string): void {
  const toast = add({ kind: 'done', text })
  setTimeout(() => close(toast), SHOWN_MS)
}

export interface FailureDetails {
  readonly hint?: string
  readonly act?: ToastAct
  readonly about?: string
}

export function tellFailed(text: string, details: FailureDetails = {}): void {
  add({ kind: 'failed', text, ...details })
}

/** The reason of messages about this is over. */
export function settle(about: string): void {
  const left = toasts.peek().filter((toast) => toast.about !== about)
  if (left.length < toasts.peek().length) toasts.value = left
}

effect(() => settle(answered.value))

export function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Runs an action of the person, and shows a refusal of the API as a toast. True if it worked. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const act = { label: 'Retry', run: () => void attempt(action) }
    const [what, hint] = [asSentence(error.message), asSentence(error.hint)]
    const about = error.code === OFFLINE ? OFFLINE : (error.call ?? what)
    if (NETWORK.has(error.code)) tellFailed(NO_NETWORK, { hint: `${what} ${hint}`, act, about })
    else tellFailed(what, { hint, about })
    return false
  }
}

/** With a full stop, unless it ends with one already: a hint may quote a sentence of another room. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** Codes of errors that mean that a host elsewhere was not reached. */
const NETWORK: ReadonlySet<string> = new Set(['egress.unreachable', 'catalog.registry-unreachable'])
const NO_NETWORK = 'Network unavailable. Check connection.'

function add(toast: Omit<Toast, 'id'>): number {
  const { id } = next
  next.id += 1
  const { about } = toast
  const others = toasts.peek().filter((one) => about === undefined || one.about !== about)
  toasts.value = [...others.slice(-4), { ...toast, id }]
  return id
}
