/** The page's app, called in memory: the answers for a browser, and every refusal behind the guard. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { HONEST, openFakePage, refused } from './fake-page.ts'
import { readPageFiles } from './page-files.ts'

describe('a signed-in browser', () => {
  const DEEP = `${'['.repeat(33)}${']'.repeat(33)}`
  const ATTACKS: [string, number, string, string, string][] = [
    ['an unknown route', 404, 'web.not-found', 'nothing', '{}'],
    ['__proto__', 404, 'web.not-found', '__proto__', '{}'],
    ['constructor', 404, 'web.not-found', 'constructor', '{}'],
    ['toString', 404, 'web.not-found', 'toString', '{}'],
    ['a route below a route', 404, 'web.not-found', 'ping/ping', '{}'],
    ['a link for another browser', 403, 'web.terminal-only', 'page.link', '{}'],
    ['the same by escapes', 403, 'web.terminal-only', 'page%2Elink', '{}'],
    ['no body', 400, 'web.json', 'ping', ''],
    ['half a body', 400, 'web.json', 'ping', '{"a":'],
    ['a body that is too deep', 400, 'web.json', 'ping', DEEP],
    ['a body that is too large', 413, 'web.too-large', 'ping', ' '.repeat(1024 * 1024 - 1) + '{}'],
    ['a field nobody asked for', 400, 'kernel.input', 'ping', '{"a":1}'],
    ['a list', 400, 'kernel.input', 'ping', '[]'],
    ['a prototype', 400, 'kernel.input', 'ping', '{"__proto__":{"a":1}}'],
  ]
  for (const [name, status, code, route, body] of ATTACKS) {
    test(`is refused ${name}`, async () => {
      const page = await openFakePage()
      await refused(await page.ask(await page.signIn(), route, body), status, code)
      assert.deepEqual(page.calls, [])
    })
  }

  test('is refused bytes that are no UTF-8', async () => {
    const page = await openFakePage()
    const { cookie, csrf } = await page.signIn()
    const headers = { ...HONEST, cookie, 'x-cordon-csrf': csrf }
    const body = Buffer.from([0x22, 0xff, 0x22])
    await refused(await page.fetch('/api/ping', { method: 'POST', headers, body }), 400, 'web.json')
  })

  test('may send as much as the limit, and nest as deep', async () => {
    const page = await openFakePage()
    const browser = await page.signIn()
    const full = '{}'.padStart(1024 * 1024)
    assert.equal((await page.ask(browser, 'ping', full)).status, 200)
    const deep = `${'['.repeat(32)}${']'.repeat(32)}`
    await refused(await page.ask(browser, 'ping', deep), 400, 'kernel.input')
  })

  test('learns nothing about a route before it is signed in', async () => {
    const page = await openFakePage()
    await refused(await page.post('/api/nothing', '{'), 401, 'web.session')
  })

  const STATUSES = [
    [2, 400],
    [3, 403],
    [4, 423],
    [5, 503],
    [1, 500],
  ] as const
  for (const [exit, status] of STATUSES) {
    test(`gets ${status} for an error with exit ${exit}, without its cause`, async () => {
      const page = await openFakePage({
        'vault.list': () => {
          throw new CordonError('vault.x', { exit, hint: 'Do' }, 'Cannot', new Error('hunter2'))
        },
      })
      const response = await page.ask(await page.signIn(), 'vault.list')
      assert.equal(response.status, status)
      const error = { code: 'vault.x', message: 'Cannot', hint: 'Do', exit }
      assert.deepEqual(await response.json(), { error })
      assert.equal(page.lines[0]?.message, 'Cannot')
      assert.match(String(page.lines[0]?.fields?.['cause']), /hunter2/)
    })
  }

  test('is told of a bug only that it is one; the log has the rest', async () => {
    const page = await openFakePage({
      ping: () => {
        throw new RangeError('hunter2')
      },
    })
    const response = await page.ask(await page.signIn(), 'ping')
    assert.equal(response.status, 500)
    const text = await response.text()
    assert.match(text, /"code":"kernel\.bug"/)
    assert.doesNotMatch(text, /hunter2|RangeError|\.ts:/)
    assert.match(String(page.lines[0]?.fields?.['error']), /hunter2/)
  })
})

describe('the page', () => {
  const get = { headers: { host: HONEST.host } }

  test('is served with its files, to anybody who asks for them by name', async () => {
    const page = await openFakePage()
    const types: Record<string, RegExp> = {
      '/': /^text\/html/,
      '/app.js': /^text\/javascript/,
      '/style.css': /^text\/css/,
      '/icon.svg': /^image\/svg/,
    }
    for (const [path, type] of Object.entries(types)) {
      const response = await page.fetch(path, get)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-type') ?? '', type)
    }
  })

  test('loads nothing that is not served', async () => {
    const page = await openFakePage()
    for (const { path, content } of (await readPageFiles()).files) {
      const wanted = content.matchAll(/(?:src=|href=|from )["'](?:\.?)(\/[^"']+)["']/g)
      for (const [, file] of wanted) {
        assert.equal((await page.fetch(file ?? '', get)).status, 200, `${file} in ${path}`)
      }
    }
  })

  const PATHS = [
    '/../page-app.ts',
    '/..%2fpage-app.ts',
    '/%2e%2e/page-app.ts',
    '//etc/passwd',
    '/app/../../open-web.ts',
    '/index.html',
    '/tsconfig.json',
    '/app.js/',
    '/app.js%00',
    '/.stamp',
    '/__proto__',
  ]
  for (const path of PATHS) {
    test(`is not ${path}`, async () => {
      const page = await openFakePage()
      await refused(await page.fetch(path, get), 404, 'web.not-found')
    })
  }

  test('is not a place to post to', async () => {
    const page = await openFakePage()
    await refused(await page.post('/', {}), 404, 'web.not-found')
  })
})

describe('every answer', () => {
  test('has the same safe headers, errors included, and none that opens it to others', async () => {
    const page = await openFakePage({ status: () => Promise.reject(new Error('a bug')) })
    const browser = await page.signIn()
    const answers = [
      await page.fetch('/', { headers: { host: HONEST.host } }),
      await page.fetch('/nothing', { headers: { host: HONEST.host } }),
      await page.fetch('/', { headers: { host: 'evil.example' } }),
      await page.post('/api/ping', {}),
      await page.ask(browser, 'ping'),
      await page.ask(browser, 'status'),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 404, 421, 401, 200, 500],
    )
    for (const { headers } of answers) {
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
          "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; " +
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types cordon dompurify",
      )
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'same-origin')
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.deepEqual(
        [...headers.keys()].filter((name) => /^(?:access-control|server|x-powered)/.test(name)),
        [],
      )
    }
  })
})

describe('the audit log', () => {
  test('has a record of every suspicious refusal, and not of an honest one', async () => {
    const page = await openFakePage()
    const { cookie } = await page.signIn()
    page.events.length = 0
    await page.post('/api/ping', {}, { host: 'evil.example' })
    await page.post('/api/ping', {}, { origin: 'null' })
    await page.post('/api/ping', {}, { 'sec-fetch-site': 'cross-site' })
    await page.post('/api/ping', {}, { cookie })
    await page.enter('#enter=x')
    await page.post('/api/ping', {})
    await page.fetch('/nothing', { headers: { host: HONEST.host } })
    assert.deepEqual(
      page.events.map(({ kind, principal, subject }) => `${kind} ${principal} ${subject}`),
      ['web.host', 'web.origin', 'web.fetch-site', 'web.csrf', 'web.link'].map(
        (code) => `web.refused principal:third-party:browser ${code}`,
      ),
    )
  })

  test('is not flooded, and says how much it left out', async () => {
    const page = await openFakePage()
    const attack = () => page.post('/api/ping', {}, { origin: 'http://evil.example' })
    for (let i = 0; i < 50; i += 1) await attack()
    assert.equal(page.events.length, 10)
    page.wait(60_000)
    await attack()
    assert.deepEqual(page.events.at(-1)?.details, { unwritten: 40 })
  })
})
