/**
 * The app behind 127.0.0.1. The order of the lines is the order of the checks: headers on everything, then the guard,
 * then the files and the way in, then the session, and only then the API.
 */
import { type Context, Hono } from 'hono'
import type { ApiServer, Listener } from '../api/server.ts'
import type { Audit, Log } from '../kernel/ports.ts'
import type { StoredSession } from '../ports/session-port.ts'
import type { SignIns } from '../ports/sign-in-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Alarm } from './alarm.ts'
import { createErrorHandler } from './answer-error.ts'
import { createConsentPage } from './consent-page.ts'
import { createCredentialForm } from './credential-form.ts'
import type { EntryLinks } from './entry-links.ts'
import { decidePageRequest } from './guard.ts'
import { addSafeHeaders } from './headers.ts'
import type { PageFiles } from './page-files.ts'
import { createRateLimit } from '../text/rate-limit.ts'
import { readJson } from './read-json.ts'
import { refusal } from './refusal.ts'
import type { SessionGate } from './session-gate.ts'

export interface PageParts {
  readonly owner: PrincipalId
  readonly api: ApiServer
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly log: Log
  readonly alarm: Alarm
  readonly links: EntryLinks
  readonly gate: SessionGate
  readonly pageFiles: PageFiles
  readonly port: number
  readonly now: () => number
  /** Absent without a gateway. */
  readonly signIns?: SignIns | undefined
}

/** The checks before the API have admitted the request already. */
const PAGE: Listener = {
  surface: 'page',
  admit: () => undefined,
  read: readJson,
  refuse: refusal,
}

type PageEnv = { Variables: { session: StoredSession } }

export function createPageApp(parts: PageParts): Hono<PageEnv> {
  const app = new Hono<PageEnv>()
  app.onError(createErrorHandler(parts.log, parts.alarm))
  app.notFound(() => {
    throw refusal('not-found')
  })
  app.use(addSafeHeaders)
  app.use(async (c, next) => {
    const reason = decidePageRequest(c.req.raw, parts.port)
    if (reason) throw refusal(reason)
    await next()
  })
  const { files, hash } = parts.pageFiles
  for (const { path, type, content } of files) {
    app.get(path, (c) => c.body(content, 200, { 'Content-Type': type }))
  }
  app.use('/api/*', async (c, next) => {
    await next()
    c.res.headers.set('X-Cordon-Page', hash)
  })
  app.route('/credential', createCredentialForm(parts))
  if (parts.signIns) app.route('/', createConsentPage({ ...parts, signIns: parts.signIns }))
  app.post('/api/session/enter', createEnter(parts))
  app.use('/api/*', async (c, next) => {
    c.set('session', await parts.gate.check(c.req.raw.headers))
    await next()
  })
  app.post('/api/session/leave', async (c) => {
    const session = c.get('session')
    const setCookie = await parts.gate.close(session)
    parts.audit.append({ kind: 'web.leave', principal: session.owner })
    return c.json({}, 200, { 'Set-Cookie': setCookie })
  })
  app.post('/api/:route', (c) => parts.api.answer(c.req.raw, PAGE))
  return app
}

/** Exchanges the token of a link for a session. Why a token fails is never told. */
function createEnter({
  owner,
  links,
  gate,
  audit,
  now,
}: PageParts): (c: Context) => Promise<Response> {
  const mayFail = createRateLimit({ atOnce: 10, perSecond: 10 / 60 }, now)
  return async (c) => {
    const token = tokenIn(await readJson(c.req.raw))
    // Failures are limited, entries are not: nobody can lock the owner out by guessing at 256 bits.
    if (!links.take(token)) throw refusal(mayFail() ? 'link' : 'too-many')
    await audit.appendDurable({ kind: 'web.enter', principal: owner })
    const { setCookie, csrf, expiresAt } = await gate.open()
    const body = { csrf, expiresAt: new Date(expiresAt).toISOString() }
    return c.json(body, 200, { 'Set-Cookie': setCookie })
  }
}

function tokenIn(input: unknown): string {
  const isObject = typeof input === 'object' && input !== null
  return isObject && 'token' in input && typeof input.token === 'string' ? input.token : ''
}
