/** Texts of flows that are being written, by the name of the flow. Kept while the page is open, also after a failed save. */
import { type Signal, signal } from '@preact/signals'
import type { Json } from '../../../text/json.ts'
import type { FlowSource } from '../../../ports/flow-port.ts'

/** Stands in the address for a flow that has no name yet; no flow can be called so. */
export const UNNAMED = '_new'

const drafts: Signal<Readonly<Record<string, string>>> = signal({})

export const flowDrafts = {
  of: (name: string): string | undefined =>
    Object.hasOwn(drafts.value, name) ? drafts.value[name] : undefined,
  set(name: string, text: string): void {
    drafts.value = { ...drafts.value, [name]: text }
  },
  drop(name: string): void {
    const { [name]: _dropped, ...others } = drafts.value
    drafts.value = others
  },
}

/** A text that begins with a brace is the flow as JSON. Undefined if that JSON cannot be read. */
export function sourceOf(text: string): FlowSource | undefined {
  if (!text.trimStart().startsWith('{')) return { kind: 'text', text }
  try {
    return { kind: 'ir', ir: JSON.parse(text) as Json }
  } catch {
    return undefined
  }
}
