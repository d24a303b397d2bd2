/** The guard's decisions, one line each: the change to an honest request, and the reason of the refusal. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decidePageRequest, decideSocketRequest, type RequestHead } from './guard.ts'

const PORT = 19_275
const HONEST = {
  host: '127.0.0.1:19275',
  origin: 'http://127.0.0.1:19275',
  'content-type': 'application/json',
}

function head(method: string, changes: Record<string, string | null>, url?: string): RequestHead {
  const headers = new Headers(HONEST)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  return { method, headers, url: url ?? 'http://127.0.0.1:19275/api/status' }
}

describe('decidePageRequest()', () => {
  test('lets the page through', () => {
    assert.equal(decidePageRequest(head('POST', {}), PORT), undefined)
    const byName = { host: 'localhost:19275', origin: 'http://localhost:19275' }
    const url = 'http://localhost:19275/api/status'
    assert.equal(decidePageRequest(head('POST', byName, url), PORT), undefined)
    const modern = {
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json; charset=utf-8',
    }
    assert.equal(decidePageRequest(head('POST', modern), PORT), undefined)
    const visit = { origin: null, 'content-type': null, 'sec-fetch-site': 'cross-site' }
    assert.equal(decidePageRequest(head('GET', visit, 'http://127.0.0.1:19275/'), PORT), undefined)
  })

  const ATTACKS: [string, string, RequestHead][] = [
    ['host', 'a rebound name', head('POST', { host: 'evil.example:19275' })],
    ['host', 'another port', head('POST', { host: '127.0.0.1:19276' })],
    ['host', 'no port', head('POST', { host: '127.0.0.1' })],
    ['host', 'no Host', head('POST', { host: null })],
    ['host', 'a trailing dot', head('POST', { host: 'localhost.:19275' })],
    ['host', 'capitals', head('POST', { host: 'LOCALHOST:19275' })],
    ['host', 'every address', head('POST', { host: '0.0.0.0:19275' })],
    ['host', 'IPv6', head('POST', { host: '[::1]:19275' })],
    ['host', 'two Hosts', head('POST', { host: '127.0.0.1:19275, evil.example' })],
    ['host', 'absolute form', head('POST', {}, 'http://evil.example/api/status')],
    ['host', 'another scheme', head('POST', {}, 'https://127.0.0.1:19275/api/status')],
    ['host', 'a rebound name on a GET', head('GET', { host: 'evil.example:19275' })],
    ['method', 'GET to the API', head('GET', {})],
    ['method', 'HEAD', head('HEAD', {}, 'http://127.0.0.1:19275/')],
    ['method', 'OPTIONS', head('OPTIONS', {})],
    ['method', 'TRACE', head('TRACE', {})],
    ['method', 'PUT', head('PUT', {})],
    ['method', 'DELETE', head('DELETE', {})],
    ['method', 'lower case', head('post', {})],
    ['origin', 'no Origin', head('POST', { origin: null })],
    ['origin', 'null Origin', head('POST', { origin: 'null' })],
    ['origin', 'another port', head('POST', { origin: 'http://127.0.0.1:3000' })],
    ['origin', 'another scheme', head('POST', { origin: 'https://127.0.0.1:19275' })],
    ['origin', 'the other name of this host', head('POST', { origin: 'http://localhost:19275' })],
    ['origin', 'a longer name', head('POST', { origin: 'http://127.0.0.1:19275.evil.example' })],
    ['origin', 'two Origins', head('POST', { origin: `${HONEST.origin}, ${HONEST.origin}` })],
    ['fetch-site', 'another site', head('POST', { 'sec-fetch-site': 'cross-site' })],
    ['fetch-site', 'another port', head('POST', { 'sec-fetch-site': 'same-site' })],
    ['fetch-site', 'the address bar', head('POST', { 'sec-fetch-site': 'none' })],
    [
      'content-type',
      'a form',
      head('POST', { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    ['content-type', 'plain text', head('POST', { 'content-type': 'text/plain' })],
    ['content-type', 'none', head('POST', { 'content-type': null })],
    [
      'content-type',
      'a look-alike',
      head('POST', { 'content-type': 'text/plain;application/json' }),
    ],
    [
      'content-type',
      'another charset',
      head('POST', { 'content-type': 'application/json; charset=utf-7' }),
    ],
  ]
  for (const [reason, name, request] of ATTACKS) {
    test(`refuses ${name} for its ${reason}`, () => {
      assert.equal(decidePageRequest(request, PORT), reason)
    })
  }

  test('WEB-1: refuses every Host but its own two', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.string()), fc.nat(65_535), (name, port) => {
        const host = `${name}:${port}`
        fc.pre(host !== '127.0.0.1:19275' && host !== 'localhost:19275')
        const request = { ...head('POST', {}), headers: fakeHeaders({ ...HONEST, host }) }
        return decidePageRequest(request, PORT) === 'host'
      }),
    )
  })
})

describe('decideSocketRequest()', () => {
  const URL = 'http://cordon/api/status'
  const own = { host: 'cordon', origin: null }

  test('lets the command line through', () => {
    assert.equal(decideSocketRequest(head('POST', own, URL)), undefined)
  })

  const ATTACKS: [string, string, RequestHead][] = [
    ['host', 'another Host', head('POST', { ...own, host: 'localhost' }, URL)],
    ['host', 'absolute form', head('POST', own, 'http://evil.example/api/status')],
    ['method', 'GET', head('GET', own, URL)],
    ['origin', 'a browser', head('POST', { ...own, origin: 'http://127.0.0.1:19275' }, URL)],
    ['origin', 'a sandboxed frame', head('POST', { ...own, origin: 'null' }, URL)],
    ['content-type', 'plain text', head('POST', { ...own, 'content-type': 'text/plain' }, URL)],
  ]
  for (const [reason, name, request] of ATTACKS) {
    test(`refuses ${name} for its ${reason}`, () => {
      assert.equal(decideSocketRequest(request), reason)
    })
  }
})

/** Headers that hold any text, as a raw socket could send it. */
function fakeHeaders(values: Record<string, string>): Headers {
  return {
    get: (name: string) => values[name] ?? null,
    has: (name: string) => name in values,
  } as Headers
}
