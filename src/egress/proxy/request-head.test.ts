import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { parseRequestHead, showHost } from './request-head.ts'

function parse(...lines: readonly string[]): ReturnType<typeof parseRequestHead> {
  return parseRequestHead(Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'))
}

test('parseRequestHead() reads a CONNECT as clients send it, and where its tunnel begins', () => {
  const head =
    'CONNECT Allowed.com:443 HTTP/1.1\r\nHost: allowed.com:443\r\nProxy-Connection: keep-alive\r\n\r\n'
  const expected = {
    kind: 'connect',
    target: { host: 'allowed.com', port: 443 },
    length: head.length,
  }
  assert.deepEqual(parseRequestHead(Buffer.from(head)), expected)
  assert.deepEqual(parseRequestHead(Buffer.from(`${head}tunnel\r\n\r\n`)), expected)
  assert.equal(parse('CONNECT allowed.com:443 HTTP/1.0').kind, 'connect')
  assert.equal(parseRequestHead(Buffer.from(head.slice(0, -1))).kind, 'more')
})

test('parseRequestHead() refuses everything that is not exactly one CONNECT', () => {
  for (const lines of [
    ['CONNECT allowed.com:443@evil.com:443 HTTP/1.1'],
    ['CONNECT http://allowed.com:443 HTTP/1.1'],
    ['CONNECT allowed.com:443/../x HTTP/1.1'],
    ['CONNECT allowed.com HTTP/1.1'],
    ['CONNECT  allowed.com:443 HTTP/1.1'],
    ['CONNECT allowed.com:443  HTTP/1.1'],
    ['connect allowed.com:443 HTTP/1.1'],
    ['CONNECT allowed.com:443 HTTP/2.0'],
    ['CONNECT allowed.com:443'],
    ['CONNECT evil.com\0.allowed.com:443 HTTP/1.1'],
    ['CONNECT allowed.com:443\n HTTP/1.1'],
    ['', 'CONNECT allowed.com:443 HTTP/1.1'],
    ['GET / HTTP/1.1', 'Host: allowed.com'],
    ['GET //evil.com/ HTTP/1.1'],
    ['GET ftp://allowed.com/ HTTP/1.1'],
    ['GET http://allowed.com@evil.com/ HTTP/1.1'],
    ['GET http://allowed.com:80\\@evil.com/ HTTP/1.1'],
    ['GET http://127.0.0.1/ HTTP/1.1'],
    ['PRI * HTTP/2.0'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'Host: a.com', 'Host: b.com'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'Content-Length: 5'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'Transfer-Encoding: chunked', 'Content-Length: 5'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'Host: a.com', ' folded'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'Host : a.com'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'X: a\nCONNECT evil.com:443 HTTP/1.1'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'X: a\0b'],
    ['CONNECT allowed.com:443 HTTP/1.1', 'no colon'],
  ]) {
    const head = parse(...lines)
    assert.equal(head.kind === 'refused' ? head.status : head.kind, 400, JSON.stringify(lines))
  }
})

test('parseRequestHead() forbids plain http by the name it was meant for', () => {
  for (const url of ['http://allowed.com/', 'http://ALLOWED.com:80/a?b', 'http://allowed.com']) {
    const head = parse(`GET ${url} HTTP/1.1`, 'Host: evil.com')
    assert.deepEqual(head, {
      kind: 'refused',
      status: 403,
      reason: 'plain http is not allowed',
      host: 'allowed.com',
    })
  }
})

test('parseRequestHead() answers any bytes, and what it shows of them is printable and short', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const head = parseRequestHead(
        Buffer.concat([Buffer.from('CONNECT '), bytes, Buffer.from('\r\n\r\n')]),
      )
      if (head.kind === 'refused') assert.match(head.host, /^[\x21-\x7e]{1,253}$|^\(no name\)$/)
    }),
  )
  assert.equal(showHost('evil\u001b[31m\n.com'), 'evil?[31m?.com')
  assert.equal(showHost('a'.repeat(1000)).length, 253)
})
