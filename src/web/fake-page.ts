/** The page's app with fake rooms, and a browser that can sign in, for tests. Never part of the program. */
import assert from 'node:assert/strict'
import { createAlarm } from './alarm.ts'
import { createEntryLinks, type EntryLinks } from './entry-links.ts'
import { createFakeDeps, type FakeDeps } from './fake-deps.ts'
import { createPageApp } from './page-app.ts'
import { readPageFiles } from './page-files.ts'
import { createSessionGate } from './session-gate.ts'

const PAGE = 'http://127.0.0.1:19275'
export const HONEST: Readonly<Record<'host' | 'origin' | 'content-type', string>> = {
  host: '127.0.0.1:19275',
  origin: PAGE,
  'content-type': 'application/json',
}

export interface Browser {
  readonly cookie: string
  readonly csrf: string
}

interface FakePage extends FakeDeps {
  readonly links: EntryLinks
  fetch(path: string, init?: RequestInit): Promise<Response>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  enter(url: string): Promise<Response>
  signIn(): Promise<Browser>
  ask(browser: Browser, route: string, body?: unknown): Promise<Response>
}

export async function openFakePage(
  answers?: Parameters<typeof createFakeDeps>[0],
): Promise<FakePage> {
  const deps = createFakeDeps({ ping: async () => ({ version: '1', pid: 2 }), ...answers })
  const { owner, sessions, now } = deps
  const links = createEntryLinks(PAGE, now)
  const gate = createSessionGate({ owner, sessions, port: 19_275, now })
  const alarm = createAlarm(deps)
  const pageFiles = await readPageFiles()
  const app = createPageApp({ ...deps, links, gate, alarm, pageFiles, port: 19_275 })
  const page: FakePage = {
    ...deps,
    links,
    fetch: async (path, init) => await app.request(PAGE + path, init),
    post: (path, body, headers = {}) =>
      page.fetch(path, {
        method: 'POST',
        headers: { ...HONEST, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    enter: (url) => page.post('/api/session/enter', { token: url.split('#enter=')[1] }),
    async signIn() {
      const response = await page.enter(links.create().url)
      assert.equal(response.status, 200)
      const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
      const { csrf } = (await response.json()) as { csrf: string }
      return { cookie, csrf }
    },
    ask: ({ cookie, csrf }, route, body = {}) =>
      page.post(`/api/${route}`, body, { cookie, 'x-cordon-csrf': csrf }),
  }
  return page
}

export async function refused(response: Response, status: number, code: string): Promise<void> {
  const { error } = (await response.json()) as { error: { code: string } }
  assert.deepEqual({ status: response.status, code: error.code }, { status, code })
}
