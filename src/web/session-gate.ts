/**
 * A browser's session is two secrets, and every call needs both:
 * - the cookie, which no script can read, but which the browser sends to every port of 127.0.0.1, so any other local
 *   server that the person visits sees it;
 * - the CSRF token, which the page keeps in localStorage, bound to this one port, so no other local server sees it.
 * One of the two is worth nothing alone. Only hashes are stored.
 */
import type { Sessions, StoredSession } from '../ports/session-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { refusal } from './refusal.ts'
import { createToken, hashToken, sameHash } from './token.ts'

const LIFETIME_SECONDS = 7 * 24 * 3600

export interface SessionGate {
  open(): Promise<{ readonly setCookie: string; readonly csrf: string; readonly expiresAt: number }>
  /** The session that both secrets belong to; throws the refusal if there is none. */
  check(headers: Headers): Promise<StoredSession>
  /** The session of the cookie alone: enough to show a form, never to act. */
  peek(headers: Headers): Promise<StoredSession | undefined>
  /** Ends the session, and returns the header that removes its cookie from the browser. */
  close(session: StoredSession): Promise<string>
}

interface GateParts {
  /** Whose sessions these are. */
  readonly owner: PrincipalId
  readonly sessions: Sessions
  readonly port: number
  readonly now: () => number
}

export function createSessionGate({ owner, sessions, port, now }: GateParts): SessionGate {
  // Cookies are shared between ports: the port in the name keeps two homes on one machine from signing each other out.
  const name = `cordon-session-${port}`
  const setCookie = (value: string, maxAge: number): string =>
    `${name}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}`
  const peek = async (headers: Headers): Promise<StoredSession | undefined> => {
    const cookie = onlyCookie(headers.get('cookie') ?? '', name)
    const session = cookie ? await sessions.find(hashToken(cookie), now()) : undefined
    // Every call acts as this owner, so a session of any other principal is refused.
    const isValid = session && session.expiresAt > now() && session.owner === owner
    return isValid ? session : undefined
  }
  return {
    async open() {
      const [cookie, csrf] = [createToken(), createToken()]
      const expiresAt = now() + LIFETIME_SECONDS * 1000
      await sessions.add({
        cookieHash: hashToken(cookie),
        csrfHash: hashToken(csrf),
        owner,
        expiresAt,
      })
      return { setCookie: setCookie(cookie, LIFETIME_SECONDS), csrf, expiresAt }
    },
    peek,
    async check(headers) {
      const session = await peek(headers)
      if (!session) throw refusal('session')
      const csrf = headers.get('x-cordon-csrf') ?? ''
      if (!sameHash(hashToken(csrf), session.csrfHash)) throw refusal('csrf')
      return session
    },
    async close(session) {
      await sessions.remove(session.cookieHash)
      return setCookie('', 0)
    },
  }
}

/** Another local server can plant a second cookie of the same name; then both are refused. */
function onlyCookie(header: string, name: string): string | undefined {
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined
}
