/** The screen that is shown, kept in the fragment of the address: `#/servers/notion`. Reloading shows the same screen. */
import { type Signal, signal } from '@preact/signals'

export interface Place {
  readonly screen: string
  /** The parts of the path after the screen's name. */
  readonly rest: readonly string[]
}

export const place: Signal<Place> = signal(read())

addEventListener('hashchange', () => {
  if (!isLink()) place.value = read()
})

/** A link that signs in names no screen: the one that is open stays. */
function isLink(): boolean {
  return location.hash.startsWith('#enter=')
}

function read(): Place {
  if (isLink()) return { screen: 'home', rest: [] }
  const [screen = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decode)
  return { screen: screen === '' ? 'home' : screen, rest }
}

/** The address of a screen; its parts may be names that servers chose. */
export function addressOf(screen: string, ...rest: readonly string[]): string {
  return `#/${[screen, ...rest].map(encodeURIComponent).join('/')}`
}

export function go(screen: string, ...rest: readonly string[]): void {
  location.hash = addressOf(screen, ...rest)
}

/** A malformed escape is left unchanged instead of throwing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
