/** Lets those who wait for an answer look again when it may have come, and tells that they wait. */
import { NamedChanges } from '../../text/changes.ts'

export interface Wakers {
  /** Resolves when `subject` is woken, after so many milliseconds, or when `signal` aborts. Never rejects. */
  wait(subject: string, ms: number, signal: AbortSignal): Promise<void>
  wake(subject: string): void
  /** Says that somebody waits, with pauses to look, until it is disposed. */
  attend(subject: string): Disposable
  isAttended(subject: string): boolean
}

export function createWakers(): Wakers {
  const changes = new NamedChanges()
  const attended: string[] = []
  return {
    wait: (subject, ms, signal) => changes.next(subject, signal, ms),
    wake: (subject) => changes.announce(subject),
    attend(subject) {
      attended.push(subject)
      return { [Symbol.dispose]: () => void attended.splice(attended.indexOf(subject), 1) }
    },
    isAttended: (subject) => attended.includes(subject),
  }
}
