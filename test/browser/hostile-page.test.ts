/** A hostile script in the page, or a hostile page on another origin, gets nothing out of a signed-in Chromium. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { until } from '../fixtures/until.ts'
import { launchChromium, openPage, shows } from './open-page.ts'
import { settled } from './visit-screens.ts'

const BLOCKED = [
  'script-src-elem',
  'require-trusted-types-for',
  'trusted-types',
  'frame-src',
  'connect-src',
]
/** The page follows the events of the kernel all the time. */
const asked = (calls: readonly { readonly route: string }[]): readonly string[] =>
  calls.map(({ route }) => route).filter((route) => route !== 'events.follow')

describe('the page of a signed-in browser', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('does not let a second browser in with the same link', async (t) => {
    const { page, web, calls } = await openPage(browser, t)
    const { url } = web.createLink()
    await page.goto(url)
    await shows(page, '1.2.3')
    await settled(page)
    calls.length = 0
    const stranger = await browser.newContext()
    t.after(() => stranger.close())
    const other = await stranger.newPage()
    await other.goto(url)
    await shows(other, 'Cannot sign in with this link')
    assert.deepEqual(asked(calls), [])
  })

  test('WEB-4: runs no script that was put into it', async (t) => {
    const { page, web } = await openPage(browser, t, {}, { isHostile: true })
    await page.goto(web.createLink().url)
    await shows(page, '1.2.3')
    const attempt = `(async () => {
      const blocked = []
      addEventListener('securitypolicyviolation', (e) => blocked.push(e.effectiveDirective))
      const add = (make) => { try { document.body.append(make()) } catch (e) { blocked.push(e.name) } }
      const script = () => document.createElement('script')
      add(() => { const s = script(); s.append('window.stolen = 1'); return s })
      const thief = () => trustedTypes.createPolicy('thief', { createScript: (text) => text })
      add(() => { const s = script(); s.text = thief().createScript('window.stolen = 1'); return s })
      add(() => { const s = script(); s.src = 'data:text/javascript,window.stolen = 1'; return s })
      add(() => { const d = document.createElement('div'); d.innerHTML = '<b>x</b>'; return d })
      add(() => { const f = document.createElement('iframe'); f.src = 'http://127.0.0.1:1/'; return f })
      await import('data:text/javascript,window.stolen = 1').catch(() => {})
      await fetch('http://127.0.0.1:1/').catch(() => {})
      const expected = ${JSON.stringify(BLOCKED)}
      for (let n = 0; n < 6000 && !expected.every((one) => blocked.includes(one)); n += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return { stolen: 'stolen' in window, blocked }
    })()`
    const { stolen, blocked } = (await page.evaluate(attempt)) as {
      stolen: boolean
      blocked: string[]
    }
    assert.equal(stolen, false)
    for (const directive of BLOCKED) {
      assert.ok(blocked.includes(directive), `${directive} is not among ${blocked.join()}`)
    }
  })

  test('WEB-2: is out of reach for a page on another port, though it is sent the cookie', async (t) => {
    const { page, web, context, calls, events } = await openPage(
      browser,
      t,
      {},
      { isHostile: true },
    )
    await page.goto(web.createLink().url)
    await shows(page, '1.2.3')
    const caught: string[] = []
    const hostile = createServer((asked, answer) => {
      caught.push(asked.headers.cookie ?? '')
      answer.setHeader('Content-Type', 'text/html').end('<p>hello')
    })
    await new Promise<void>((resolve) => void hostile.listen(0, '127.0.0.1', resolve))
    t.after(() => hostile.close())
    await settled(page)
    calls.length = 0

    const other = await context.newPage()
    await other.goto(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`)
    const attempt = `(async () => {
      const answers = []
      for (const [mode, type] of [['cors', 'application/json'], ['cors', 'text/plain'], ['no-cors', 'text/plain']]) {
        const sent = { method: 'POST', mode, credentials: 'include', headers: { 'Content-Type': type }, body: '{}' }
        answers.push(await fetch('${web.page}/api/status', sent).then((r) => r.type + r.status, () => 'failed'))
      }
      const frame = document.createElement('iframe')
      frame.src = '${web.page}/'
      document.body.append(frame)
      await new Promise((resolve) => { frame.onload = resolve })
      return { answers, storage: localStorage.length }
    })()`
    assert.deepEqual(await other.evaluate(attempt), {
      answers: ['failed', 'failed', 'failed'],
      storage: 0,
    })
    await until(() => other.frames()[1]?.url().startsWith('chrome-error:') === true)
    assert.equal(events.filter(({ subject }) => subject === 'web.origin').length, 2)
    // A program with the stolen cookie can forge headers that a browser protects; without the CSRF token it is refused.
    const cookie = caught.find((text) => text.includes('cordon-session')) ?? ''
    assert.match(cookie, /^cordon-session-\d+=[\w-]{43}$/)
    const headers = { Cookie: cookie, Origin: web.page, 'Content-Type': 'application/json' }
    const response = await fetch(`${web.page}/api/status`, { method: 'POST', headers, body: '{}' })
    assert.match(await response.text(), /"web\.csrf"/)
    assert.deepEqual(asked(calls), [])
  })
})
