/**
 * Carries the text that a person typed over a reload of the page, in the storage of this one tab, and takes it out again
 * as soon as its field is back. Never keeps a password field, or a text that has the shape of a credential.
 */
import { hideInContent } from '../../text/hide-credentials.ts'

const KEPT = 'cordon-typed'
/** Later the person has moved on, and text that appears by itself would surprise them. */
const RESTORE_MS = 30_000
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'search', 'url', 'email', 'number'])

type Field = HTMLInputElement | HTMLTextAreaElement

interface KeptText {
  readonly field: string
  readonly text: string
}

const touched = new Set<Field>()

/** Notes each field that is typed into, from now on. */
export function watchTyping(): void {
  addEventListener('input', ({ target }) => {
    if (isTextField(target)) touched.add(target)
  })
}

export function hasTyped(): boolean {
  return typedFields().length > 0
}

/** The address keeps the screen, and this the text in it. */
export function reloadKeepingTyped(): void {
  const kept: readonly KeptText[] = typedFields()
    .filter(({ value }) => hideInContent(value) === value)
    .map((field) => ({ field: nameOf(field), text: field.value }))
  if (kept.length > 0) sessionStorage.setItem(KEPT, JSON.stringify(kept))
  location.reload()
}

/** Puts the text of before a reload back, each as soon as its field is drawn. */
export function restoreTyped(): void {
  const waiting = new Map(takeKept().map(({ field, text }) => [field, text]))
  if (waiting.size === 0) return
  const look = (): void => {
    for (const field of document.querySelectorAll<Field>('input, textarea')) {
      const text = isTextField(field) ? waiting.get(nameOf(field)) : undefined
      if (text === undefined) continue
      waiting.delete(nameOf(field))
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    if (waiting.size === 0) observer.disconnect()
  }
  const observer = new MutationObserver(look)
  observer.observe(document.body, { childList: true, subtree: true })
  setTimeout(() => observer.disconnect(), RESTORE_MS)
}

/** A session that ended must leave no secret behind in a field that is only hidden. */
export function forgetPasswords(): void {
  for (const field of document.querySelectorAll<HTMLInputElement>('input[type=password]')) {
    field.value = ''
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
}

function typedFields(): readonly Field[] {
  for (const field of touched) if (!field.isConnected) touched.delete(field)
  return [...touched].filter(({ value }) => value.trim() !== '')
}

function isTextField(target: EventTarget | null): target is Field {
  if (target instanceof HTMLTextAreaElement) return true
  return target instanceof HTMLInputElement && TEXT_TYPES.has(target.type)
}

/** The screen, the label, and which of the fields with this label it is. */
function nameOf(field: Field): string {
  const label = labelOf(field)
  const same = [...document.querySelectorAll<Field>('input, textarea')].filter(
    (one) => isTextField(one) && labelOf(one) === label,
  )
  return `${location.hash} ${label} ${same.indexOf(field)}`
}

function labelOf(field: Field): string {
  return field.id || (field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent ?? '')
}

function takeKept(): readonly KeptText[] {
  const kept = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  return kept === null ? [] : (JSON.parse(kept) as readonly KeptText[])
}
