/**
 * The shortcut that leads to the chat from every screen. Works while this page has the focus: a browser lets no page hear
 * keys of the whole desktop. Kept in the storage of this origin once it was changed.
 */
import { type Signal, signal } from '@preact/signals'
import { go } from './place.ts'

const KEPT = 'cordon-hotkey'
const DEFAULT = `${/Mac/.test(navigator.platform) ? 'Cmd' : 'Ctrl'}+Shift+Space`

export const hotkey: Signal<string> = signal(localStorage.getItem(KEPT) ?? DEFAULT)

/** The pressed combination as people write it; undefined without a modifier that keeps it apart from typing. */
export function combinationOf(event: KeyboardEvent): string | undefined {
  const { ctrlKey, metaKey, altKey, shiftKey, key } = event
  if (!(ctrlKey || metaKey || altKey) || MODIFIERS.has(key)) return undefined
  const held = { Ctrl: ctrlKey, Cmd: metaKey, Alt: altKey, Shift: shiftKey }
  const names = Object.entries(held).flatMap(([name, isHeld]) => (isHeld ? [name] : []))
  return [...names, nameOf(key)].join('+')
}

function nameOf(key: string): string {
  if (key === ' ') return 'Space'
  return key.length === 1 ? key.toUpperCase() : key
}

const MODIFIERS: ReadonlySet<string> = new Set(['Control', 'Meta', 'Alt', 'Shift'])

export function setHotkey(combination: string): void {
  hotkey.value = combination
  localStorage.setItem(KEPT, combination)
}

/** Listens until the returned function is called. */
export function listenForHotkey(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const isField = event.target instanceof HTMLElement && event.target.id === 'hotkey'
    if (isField || combinationOf(event) !== hotkey.value) return
    event.preventDefault()
    go('chat')
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
