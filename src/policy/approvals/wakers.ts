/** Lets those who wait for an answer look again when it may have come, and tells that they wait. */
import { Changes, NamedChanges } from '../../text/changes.ts'

export interface Wakers {
  /** Resolves when `subject` is woken, after so many milliseconds, or when `signal` aborts. Never rejects. */
  wait(subject: string, ms: number, signal: AbortSignal): Promise<void>
  wake(subject: string): void
  /** Announced with every wake, whichever subject it names. */
  readonly all: Changes
  /** Says that somebody waits, with pauses to look, until it is disposed. */
  attend(subject: string): Disposable
  isAttended(subject: string): boolean
  /** Notes that a surface has asked for the subject, as long as somebody waits for it. */
  markShown(subject: string): void
  isShown(subject: string): boolean
}

export function createWakers(): Wakers {
  const changes = new NamedChanges()
  const all = new Changes()
  const attended: string[] = []
  const shown = new Set<string>()
  return {
    wait: (subject, ms, signal) => changes.next(subject, signal, ms),
    wake(subject) {
      changes.announce(subject)
      all.announce()
    },
    all,
    attend(subject) {
      attended.push(subject)
      return {
        [Symbol.dispose]() {
          attended.splice(attended.indexOf(subject), 1)
          if (!attended.includes(subject)) shown.delete(subject)
        },
      }
    },
    isAttended: (subject) => attended.includes(subject),
    markShown(subject) {
      if (attended.includes(subject)) shown.add(subject)
    },
    isShown: (subject) => shown.has(subject),
  }
}
