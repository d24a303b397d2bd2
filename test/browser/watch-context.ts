/**
 * Records what a browser context does over a whole test: every request, every violation of the page's policy and every
 * script that ran although it should not. A payload of a test reports itself by calling `ran()`.
 */
import assert from 'node:assert/strict'
import type { BrowserContext, Page, Request } from 'playwright-core'

export interface Watched {
  /** `img-src http://evil.example/x`, one for each `securitypolicyviolation`. */
  readonly violations: readonly string[]
  readonly requested: readonly string[]
  /** The payloads that ran. */
  readonly ran: readonly string[]
  /** Errors that no code of the page caught. */
  readonly errors: readonly string[]
  /** Fails on any of the above, and on a request to anything but this port of this machine. */
  assertHarmless(port: string): void
}

const LISTENER = `addEventListener('securitypolicyviolation', (event) => {
  reportViolation(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample)
})`

const underWay = new WeakMap<Page, Set<Request>>()

/** True while the page waits for an answer of the API. A route that follows something answers only when that happens. */
export function isAsking(page: Page): boolean {
  return [...(underWay.get(page) ?? [])].some((sent) => !sent.url().endsWith('.follow'))
}

function watchRequests(page: Page): void {
  const open = new Set<Request>()
  underWay.set(page, open)
  page.on('request', (sent) => {
    if (sent.url().includes('/api/')) open.add(sent)
  })
  page.on('requestfinished', (sent) => open.delete(sent))
  page.on('requestfailed', (sent) => open.delete(sent))
}

export async function watchContext(context: BrowserContext): Promise<Watched> {
  const violations: string[] = []
  const requested: string[] = []
  const ran: string[] = []
  const errors: string[] = []
  await context.exposeFunction('reportViolation', (text: string) => void violations.push(text))
  await context.exposeFunction('ran', (text: unknown) => void ran.push(String(text)))
  await context.addInitScript(LISTENER)
  context.on('page', watchRequests)
  context.on('request', (sent) => requested.push(sent.url()))
  context.on('dialog', (dialog) => {
    ran.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('weberror', (error) => errors.push(error.error().message))
  return {
    violations,
    requested,
    ran,
    errors,
    assertHarmless(port) {
      assert.deepEqual(violations, [], 'violations of the policy')
      assert.deepEqual(ran, [], 'scripts that ran')
      assert.deepEqual(errors, [], 'errors of the page')
      assert.deepEqual(
        requested.filter((url) => !isOurs(url, port)),
        [],
        'requests to elsewhere',
      )
    },
  }
}

/** `blob:` is a file that the page itself made, for a download. */
function isOurs(url: string, port: string): boolean {
  const { protocol, hostname, port: asked } = new URL(url)
  if (protocol === 'blob:' || protocol === 'about:') return true
  return protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && asked === port
}
