/** Signing in and the session after it: what opens a session, what ends it, and attempts that do neither. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PrincipalId } from '../kernel/principal.ts'
import { type Browser, openFakePage, refused } from './fake-page.ts'
import { hashToken } from './token.ts'

const WEEK_MS = 7 * 24 * 3600_000

describe('a link', () => {
  test('becomes a session that answers', async () => {
    const page = await openFakePage()
    const response = await page.ask(await page.signIn(), 'ping')
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { version: '1', pid: 2 })
    assert.deepEqual(
      page.calls.map(({ route, input }) => [route, input]),
      [['ping', {}]],
    )
    assert.deepEqual(page.events, [{ kind: 'web.enter', principal: 'principal:owner' }])
  })

  test('WEB-2: sets a cookie that no script can read and no other site sends', async () => {
    const page = await openFakePage()
    const response = await page.enter(page.links.create().url)
    assert.match(
      response.headers.get('set-cookie') ?? '',
      /^cordon-session-19275=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800$/,
    )
  })

  test('leaves only hashes behind', async () => {
    const page = await openFakePage()
    const { cookie, csrf } = await page.signIn()
    const value = cookie.split('=')[1] ?? ''
    const stored = JSON.stringify([...page.stored.values()])
    assert.ok(stored.includes(hashToken(value)) && stored.includes(hashToken(csrf)))
    assert.ok(!stored.includes(value) && !stored.includes(csrf))
  })

  test('WEB-3: that was used, has ended, was pushed out or never was gets one and the same answer', async () => {
    const page = await openFakePage()
    const answerTo = async (url: string) => {
      const answer = await page.enter(url)
      return `${answer.status} ${await answer.text()}`
    }
    const [used, pushedOut] = [page.links.create().url, page.links.create().url]
    assert.equal((await page.enter(used)).status, 200)
    for (let i = 0; i < 32; i += 1) page.links.create()
    const texts = [await answerTo(used), await answerTo(pushedOut), await answerTo('#enter=never')]
    const old = page.links.create().url
    page.wait(10 * 60_000)
    texts.push(await answerTo(old))
    assert.equal(new Set(texts).size, 1)
    assert.match(texts[0] ?? '', /^401 .*web\.link/)
    assert.equal(page.stored.size, 1)
  })

  test('works until its last moment', async () => {
    const page = await openFakePage()
    const { url, expiresAt } = page.links.create()
    page.wait(10 * 60_000 - 1)
    assert.equal(Date.parse(expiresAt), page.now() + 1)
    assert.equal((await page.enter(url)).status, 200)
  })

  test('works once when it is sent twice at the same time', async () => {
    const page = await openFakePage()
    const { url } = page.links.create()
    const answers = await Promise.all([page.enter(url), page.enter(url)])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 401],
    )
  })

  test('that does not work is refused faster after ten in a minute, and the owner still gets in', async () => {
    const page = await openFakePage()
    for (let i = 0; i < 10; i += 1) await refused(await page.enter('#enter=x'), 401, 'web.link')
    await refused(await page.enter('#enter=x'), 429, 'web.too-many')
    assert.equal((await page.enter(page.links.create().url)).status, 200)
    page.wait(60_000)
    await refused(await page.enter('#enter=x'), 401, 'web.link')
  })

  for (const body of [{}, { token: 7 }, { token: null }, [], null, 'x', { token: ['x'] }]) {
    test(`is not in the body ${JSON.stringify(body)}`, async () => {
      const page = await openFakePage()
      await refused(await page.post('/api/session/enter', JSON.stringify(body)), 401, 'web.link')
    })
  }
})

describe('a session', () => {
  const ATTACKS: [
    string,
    number,
    string,
    (b: Browser, other: Browser) => Record<string, string>,
  ][] = [
    ['nothing', 401, 'web.session', () => ({})],
    ['only the CSRF token', 401, 'web.session', ({ csrf }) => ({ 'x-cordon-csrf': csrf })],
    ['only the cookie', 403, 'web.csrf', ({ cookie }) => ({ cookie })],
    ['an empty token', 403, 'web.csrf', ({ cookie }) => ({ cookie, 'x-cordon-csrf': '' })],
    [
      'the token of another session',
      403,
      'web.csrf',
      ({ cookie }, other) => ({ cookie, 'x-cordon-csrf': other.csrf }),
    ],
    [
      'the token twice',
      403,
      'web.csrf',
      ({ cookie, csrf }) => ({ cookie, 'x-cordon-csrf': `${csrf}, ${csrf}` }),
    ],
    [
      'an unknown cookie',
      401,
      'web.session',
      ({ csrf }) => ({ cookie: 'cordon-session-19275=x', 'x-cordon-csrf': csrf }),
    ],
    [
      'the cookie of another port',
      401,
      'web.session',
      ({ cookie, csrf }) => ({ cookie: cookie.replace('19275', '19276'), 'x-cordon-csrf': csrf }),
    ],
    [
      'a second cookie planted beside it',
      401,
      'web.session',
      ({ cookie, csrf }, other) => ({
        cookie: `${other.cookie}; ${cookie}`,
        'x-cordon-csrf': csrf,
      }),
    ],
    [
      'the stored hash as cookie',
      401,
      'web.session',
      ({ cookie, csrf }) => ({
        cookie: `cordon-session-19275=${hashToken(cookie.split('=')[1] ?? '')}`,
        'x-cordon-csrf': csrf,
      }),
    ],
  ]
  for (const [name, status, code, headers] of ATTACKS) {
    test(`is not opened by ${name}`, async () => {
      const page = await openFakePage()
      const [browser, other] = [await page.signIn(), await page.signIn()]
      await refused(await page.post('/api/ping', {}, headers(browser, other)), status, code)
      assert.deepEqual(page.calls, [])
      assert.equal((await page.ask(browser, 'ping')).status, 200)
    })
  }

  test('is found among the cookies of other servers', async () => {
    const page = await openFakePage()
    const { cookie, csrf } = await page.signIn()
    const headers = { cookie: `theme=dark; x${cookie}; ${cookie};a=b`, 'x-cordon-csrf': csrf }
    assert.equal((await page.post('/api/ping', {}, headers)).status, 200)
  })

  test('ends after seven days', async () => {
    const page = await openFakePage()
    const browser = await page.signIn()
    page.wait(WEEK_MS - 1)
    assert.equal((await page.ask(browser, 'ping')).status, 200)
    page.wait(1)
    await refused(await page.ask(browser, 'ping'), 401, 'web.session')
  })

  test('of anybody but the owner opens nothing', async () => {
    const page = await openFakePage()
    const browser = await page.signIn()
    for (const [hash, session] of page.stored) {
      page.stored.set(hash, { ...session, owner: 'principal:paired:ana' as PrincipalId })
    }
    await refused(await page.ask(browser, 'ping'), 401, 'web.session')
  })

  test('ends when the browser leaves, and only that one', async () => {
    const page = await openFakePage()
    const [browser, other] = [await page.signIn(), await page.signIn()]
    const response = await page.ask(browser, 'session/leave')
    assert.equal(response.status, 200)
    assert.match(response.headers.get('set-cookie') ?? '', /^cordon-session-19275=; .*Max-Age=0$/)
    await refused(await page.ask(browser, 'ping'), 401, 'web.session')
    assert.equal((await page.ask(other, 'ping')).status, 200)
    assert.equal(page.events.at(-1)?.kind, 'web.leave')
  })

  test('cannot be ended by another site', async () => {
    const page = await openFakePage()
    const { cookie, csrf } = await page.signIn()
    await refused(await page.post('/api/session/leave', {}, { cookie }), 403, 'web.csrf')
    assert.equal((await page.ask({ cookie, csrf }, 'ping')).status, 200)
  })
})
