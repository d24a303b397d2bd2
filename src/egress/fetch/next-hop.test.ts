import assert from 'node:assert/strict'
import test from 'node:test'
import { type Hop, nextHop } from './next-hop.ts'

const post: Hop = {
  url: new URL('https://a.example/one?token=hidden'),
  method: 'POST',
  headers: new Headers({
    authorization: 'Bearer x',
    cookie: 'a=b',
    'x-api-key': 'k',
    accept: 'text/plain',
    'content-type': 'application/json',
  }),
  body: '{}',
}

test('nextHop() turns a POST into a GET without content on 301, 302 and 303, and repeats it on 307 and 308', () => {
  const methodAfter = (method: string, status: number): string | undefined =>
    nextHop({ ...post, method }, status, '/two')?.method
  for (const status of [301, 302, 303]) {
    const hop = nextHop(post, status, '/two')
    assert.equal(hop?.url.href, 'https://a.example/two')
    assert.deepEqual([methodAfter('POST', status), hop.body], ['GET', null])
    assert.equal(hop.headers.get('content-type'), null)
  }
  for (const status of [307, 308]) {
    assert.equal(methodAfter('POST', status), 'POST')
    assert.equal(nextHop(post, status, '/two')?.body, '{}')
  }
  assert.equal(methodAfter('PUT', 302), 'PUT')
  assert.equal(methodAfter('PUT', 303), 'GET')
  assert.equal(methodAfter('HEAD', 303), 'HEAD')
})

test('nextHop() keeps credentials at home: another origin gets harmless headers only', () => {
  const names = (location: string): string[] => [
    ...(nextHop({ ...post, body: null }, 307, location)?.headers.keys() ?? []),
  ]
  assert.ok(names('/two').includes('authorization'))
  for (const location of [
    'https://b.example/',
    'https://a.example:8443/',
    'https://sub.a.example/',
  ]) {
    assert.deepEqual(names(location), ['accept', 'content-type'], location)
  }
})

test('nextHop() repeats content at home only', () => {
  for (const [method, status] of [
    ['POST', 307],
    ['POST', 308],
    ['PUT', 302],
  ] as const) {
    const hop = { ...post, method }
    assert.equal(nextHop(hop, status, 'https://a.example/two')?.body, '{}')
    const error = { code: 'egress.redirect', message: /content would go to another host/ }
    assert.throws(() => nextHop(hop, status, 'https://b.example/'), error, `${method} ${status}`)
  }
  assert.equal(nextHop(post, 303, 'https://b.example/')?.body, null)
})

test('nextHop() refuses plain http, nonsense, and content that is gone once it was sent', () => {
  assert.throws(() => nextHop(post, 302, 'http://a.example/'), { code: 'egress.redirect' })
  assert.throws(() => nextHop(post, 302, 'https://'), { code: 'egress.redirect' })
  const stream: Hop = { ...post, body: new ReadableStream() }
  assert.throws(
    () => nextHop(stream, 307, '/two'),
    (error: Error) => /twice/.test(error.message) && !/hidden/.test(error.message),
  )
  assert.equal(nextHop(stream, 303, '/two')?.body, null)
})

test('nextHop() knows what is no redirect', () => {
  assert.equal(nextHop(post, 200, '/two'), undefined)
  assert.equal(nextHop(post, 304, '/two'), undefined)
  assert.equal(nextHop(post, 302, null), undefined)
})
