import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import test from 'node:test'
import fc from 'fast-check'
import { parseHostName, parseHostPort } from './host-name.ts'

test('parseHostPort() gives every accepted spelling of a name the same canonical form', () => {
  for (const text of [
    'allowed.com:443',
    'ALLOWED.com:443',
    'allowed.com.:443',
    'Allowed.COM.:443',
  ]) {
    assert.deepEqual(parseHostPort(text), { host: 'allowed.com', port: 443 }, text)
  }
  assert.equal(parseHostPort('xn--bcher-kva.example:443')?.host, 'xn--bcher-kva.example')
  assert.equal(parseHostPort('a.xn--p1ai:65535')?.port, 65_535)
})

const REFUSED = [
  '127.0.0.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f.1',
  '127.0x1',
  '1.0x7f',
  '127.1',
  '0177.0.0.1',
  '0',
  '0xa9fea9fe',
  '①②⑦.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::1%25eth0]',
  '::1',
  'localhost',
  'localhost.',
  'allowed.com..',
  '.allowed.com',
  'a..com',
  '-a.com',
  'a-.com',
  'a_b.com',
  'all\u00adowed.com',
  'аllowed.com',
  'allowed。com',
  'evil.com\0.allowed.com',
  'evil.com\n.allowed.com',
  'allowed.com\r',
  ' allowed.com',
  'allowed.com ',
  'user@allowed.com',
  'http://allowed.com',
  'allowed.com/../x',
  'allowed.com%2eevil.com',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(127)}com`,
  '',
]

test('parseHostName() and parseHostPort() refuse addresses in every spelling, and names that are not plain', () => {
  for (const text of REFUSED) {
    assert.equal(parseHostName(text), undefined, JSON.stringify(text))
    assert.equal(parseHostPort(`${text}:443`), undefined, JSON.stringify(text))
  }
})

test('parseHostPort() refuses what only looks like a host and a port', () => {
  for (const text of [
    'allowed.com',
    'allowed.com:',
    'allowed.com:0',
    'allowed.com:0443',
    'allowed.com:65536',
    'allowed.com:65979',
    'allowed.com:+443',
    'allowed.com:443@evil.com:443',
    'http://allowed.com:443',
    'allowed.com:443/../x',
    'allowed.com:443 ',
    'allowed.com:443\n',
    'allowed.com:４４３',
  ]) {
    assert.equal(parseHostPort(text), undefined, JSON.stringify(text))
  }
})

test('parseHostName() takes names of up to 253 characters, and has an answer to any text', () => {
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`
  assert.equal(longest.length, 253)
  assert.equal(parseHostName(`${longest}.`), longest)
  assert.equal(parseHostName(`e${longest}`), undefined)
  // A regular expression that backtracks would not finish on these.
  assert.equal(parseHostName(`${'a-'.repeat(130)}!`), undefined)
  assert.equal(parseHostName('a'.repeat(4_000_000)), undefined)
})

test('parseHostName() is canonical: its answer parses to itself and is never an address', () => {
  const alphabet = fc.string({
    unit: fc.constantFrom('a', 'Z', '0', '9', '.', '-', 'x', ':', '%', '@'),
    maxLength: 24,
  })
  fc.assert(
    fc.property(fc.oneof(fc.string(), alphabet, fc.domain(), fc.ipV4(), fc.ipV6()), (text) => {
      const name = parseHostName(text)
      if (name === undefined) return
      assert.equal(parseHostName(name), name)
      assert.equal(isIP(name), 0)
      assert.match(name, /^[a-z0-9.-]+\.[a-z][a-z0-9-]+$/)
    }),
  )
})
