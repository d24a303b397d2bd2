/** What the Unix socket answers: the API, for the owner, whom the socket's mode has identified already. */
import { Hono } from 'hono'
import type { Api } from '../kernel/api.ts'
import type { Log } from '../kernel/ports.ts'
import type { Alarm } from './alarm.ts'
import { createErrorHandler } from './answer-error.ts'
import { callRoute } from './api-routes.ts'
import { decideSocketRequest } from './guard.ts'
import { addSafeHeaders } from './headers.ts'
import { refusal } from './refusal.ts'

interface SocketParts {
  readonly api: Api
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
  app.post('/api/:route', async (c) =>
    c.json(await callRoute(api, c.req.param('route'), c.req.raw)),
  )
  return app
}
