/** Short messages about what has just happened. A failure stays until it is closed; anything else leaves by itself. */
import { type Signal, signal } from '@preact/signals'
import { Refused } from './ask.ts'

export interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
  readonly hint?: string
  readonly act?: ToastAct
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

export function tellFailed(text: string, hint?: string, act?: ToastAct): void {
  add({ kind: 'failed', text, ...(hint !== undefined && { hint }), ...(act && { act }) })
}

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
    const retry = { label: 'Retry', run: () => void attempt(action) }
    const [what, hint] = [asSentence(error.message), asSentence(error.hint)]
    if (NETWORK.has(error.code)) tellFailed(NO_NETWORK, `${what} ${hint}`, retry)
    else tellFailed(what, hint)
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
  toasts.value = [...toasts.value.slice(-4), { ...toast, id }]
  return id
}
