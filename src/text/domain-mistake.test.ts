import assert from 'node:assert/strict'
import test from 'node:test'
import { domainMistake } from './domain-mistake.ts'

test('domainMistake() accepts exact names and a star before at least two labels', () => {
  for (const name of [
    'api.notion.com',
    'API.Notion.com',
    '*.example.com',
    'a.b.c.example.co.uk',
    'xn--bcher-kva.example',
    'x.xn--p1ai',
  ]) {
    assert.equal(domainMistake(name), undefined, name)
  }
})

test('domainMistake() accepts one exact host with a port that a sandbox can listen on', () => {
  for (const name of ['db.example.com:5432', 'DB1:27017', 'localhost:5432', '127.0.0.1:6379']) {
    assert.equal(domainMistake(name), undefined, name)
  }
})

test('domainMistake() says what is wrong with everything that would open more than one name', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['*', /every host/],
    ['*.com', /like "api/],
    ['*.*.com', /like "api/],
    ['api.*.com', /like "api/],
    ['*example.com', /like "api/],
    ['https://api.example.com', /scheme/],
    ['api.example.com:443', /port/],
    ['*.example.com:5432', /port/],
    ['10.0.0.5:5432', /name of the host/],
    ['api.example.com/path', /like "api/],
    ['127.0.0.1', /IP address/],
    ['*.0.0.1', /like "api/],
    ['::1', /IP address/],
    ['[::1]', /IP address/],
    ['fe80::1', /IP address/],
    ['bücher.example', /xn--/],
    ['еxample.com', /xn--/],
    ['localhost', /like "api/],
    ['example.com.', /like "api/],
    ['-a.example.com', /like "api/],
    ['a b.example.com', /like "api/],
    [`${'a'.repeat(64)}.example.com`, /like "api/],
    [`${'a.'.repeat(130)}com`, /like "api/],
    ['0x7f.1', /like "api/],
  ]
  for (const [name, expected] of cases) assert.match(domainMistake(name) ?? '', expected, name)
})
