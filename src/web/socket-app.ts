/** What the Unix socket answers: the API, for the owner, whom the socket's mode has identified already. */
import { Hono } from 'hono'
import type { ApiServer } from '../api/server.ts'
import type { Log } from '../kernel/ports.ts'
import type { Alarm } from './alarm.ts'
import { createErrorHandler } from './answer-error.ts'
import { decideSocketRequest } from './guard.ts'
import { addSafeHeaders } from './headers.ts'
import { readJson } from './read-json.ts'
import { refusal } from './refusal.ts'

interface SocketParts {
  readonly api: ApiServer
  readonly log: Log
  readonly alarm: Alarm
}

export function createSocketApp({ api, log, alarm }: SocketParts): Hono {
  const app = new Hono()
  app.onError(createErrorHandler(log, alarm))
  app.notFound(() => {
    throw refusal('not-found')
  })
  app.use(addSafeHeaders)
  app.use(async (c, next) => {
    const reason = decideSocketRequest(c.req.raw)
    if (reason) throw refusal(reason)
    await next()
  })
  const listener = { surface: 'terminal', read: readJson, refuse: refusal } as const
  app.post('/api/:route', (c) => api.answer(c.req.param('route'), c.req.raw, listener))
  return app
}
