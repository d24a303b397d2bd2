/** The port of browser sessions in the store. */
import type { PrincipalId } from '../kernel/principal.ts'

/** Browser sessions by the hash of their cookie; a token itself is never stored. */
export interface Sessions {
  add(session: StoredSession): Promise<void>
  find(cookieHash: string, now: number): Promise<StoredSession | undefined>
  remove(cookieHash: string): Promise<void>
}
export interface StoredSession {
  readonly cookieHash: string
  readonly csrfHash: string
  readonly owner: PrincipalId
  readonly expiresAt: number
}
