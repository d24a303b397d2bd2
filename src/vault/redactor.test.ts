/** The redactor against every spelling at every cut, with encoders that are not its own. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Redactor } from '../kernel/ports.ts'
import { createRedactor } from './redactor.ts'
import { rounds } from '../kernel/test-rounds.ts'

const TOKEN = 'ghp_A1b2/C3+d4 "é"&~x'

function knowing(...secrets: readonly (string | Uint8Array)[]): Redactor {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.learn(Buffer.from(secret))
  return redactor
}

const ESCAPE = /%[0-9a-f]{2}/gi
const lower = (text: string): string => text.replace(ESCAPE, (escape) => escape.toLowerCase())
const asciiJson = (text: string): string =>
  JSON.stringify(text).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const ENCODERS: Readonly<Record<string, (secret: string) => string>> = {
  raw: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'hex in small letters': (secret) => Buffer.from(secret).toString('hex'),
  'hex in capitals': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  encodeURIComponent,
  'encodeURIComponent in small letters': (secret) => lower(encodeURIComponent(secret)),
  encodeURI,
  'an HTML form': (secret) => new URLSearchParams({ '': secret }).toString().slice(1),
  'an HTML form in small letters': (secret) =>
    lower(new URLSearchParams({ '': secret }).toString().slice(1)),
  'percent-encoding of every byte': (secret) =>
    [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON in ASCII': (secret) => asciiJson(secret).slice(1, -1),
  'JSON with escaped slashes': (secret) =>
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
}

for (const [name, encode] of Object.entries(ENCODERS)) {
  test(`a secret is hidden in this spelling: ${name}`, () => {
    const redactor = knowing(TOKEN)
    assert.equal(redactor.redact(`<${encode(TOKEN)}>`), '<[redacted]>')
  })
}

/** Text of at least six bytes without white space at either end, so that trimming it adds no second spelling. */
const secretText = fc
  .string({ unit: 'binary', minLength: 6, maxLength: 40 })
  .filter((text) => text.trim() === text)

const cuts = fc.array(fc.nat(400), { maxLength: 12 })

function throughStream(redactor: Redactor, bytes: Buffer, at: readonly number[]): Buffer {
  const stream = redactor.stream()
  const ends = [...at, bytes.length].map((end) => Math.min(end, bytes.length))
  const shown: Buffer[] = []
  let start = 0
  for (const end of ends.sort((a, b) => a - b)) {
    const chunk = Buffer.from(bytes.subarray(start, end))
    shown.push(Buffer.from(stream.push(chunk)))
    chunk.fill(0) // The caller may use its buffer again.
    start = end
  }
  return Buffer.concat([...shown, stream.end()])
}

test('REDACT-1: no spelling of any secret gets through, however the text is cut', () => {
  const encoder = fc.constantFrom(...Object.values(ENCODERS))
  fc.assert(
    fc.property(secretText, encoder, cuts, (secret, encode, at) => {
      const text = Buffer.from(`‹${encode(secret)}› and ‹${encode(secret)}›`)
      const shown = throughStream(knowing(secret), text, at).toString()
      assert.equal(shown, '‹[redacted]› and ‹[redacted]›')
    }),
    { numRuns: rounds(400, 150) },
  )
})

test('a secret inside longer base64 is hidden, whatever stands around it', () => {
  const around = fc.uint8Array({ maxLength: 12 })
  const alphabet = fc.constantFrom('base64' as const, 'base64url' as const)
  const secret = fc.uint8Array({ minLength: 6, maxLength: 40 })
  fc.assert(
    fc.property(secret, around, around, alphabet, (secret, before, after, alphabet) => {
      const encoded = Buffer.concat([before, secret, after]).toString(alphabet)
      const [left, right, ...more] = knowing(secret).redact(encoded).split('[redacted]')
      assert.equal(more.length, 0)
      // Only characters that share bits with a neighbouring byte may be left.
      const all = Math.ceil(((before.length + secret.length + after.length) * 4) / 3)
      const untilEnd = Math.floor(((before.length + secret.length) * 4) / 3)
      assert.ok((left ?? '').length <= Math.ceil((before.length * 4) / 3))
      assert.ok((right ?? '').replaceAll('=', '').length <= (after.length && all - untilEnd))
    }),
    { numRuns: rounds(400, 150) },
  )
})

test('a token inside an Authorization header is hidden', () => {
  const basic = Buffer.from('oauth2:glpat-0123456789abcdef').toString('base64')
  const shown = knowing('glpat-0123456789abcdef').redact(`Authorization: Basic ${basic}`)
  assert.equal(shown, 'Authorization: Basic b2F1dGgyOm[redacted]')
})

test('secrets of any bytes are hidden in any bytes, however cut, and a stream agrees with itself', () => {
  // A small alphabet makes secrets overlap, repeat and begin alike.
  const bytes = fc.array(fc.constantFrom(0, 97, 98, 99), { minLength: 4, maxLength: 9 })
  const secrets = fc.array(
    bytes.map((some) => Buffer.from(some)),
    { minLength: 1, maxLength: 5 },
  )
  const text = fc.array(
    fc.oneof(
      bytes,
      secrets.map((some) => [...(some[0] ?? [])]),
    ),
  )
  fc.assert(
    fc.property(secrets, text, cuts, (secrets, parts, at) => {
      const text = Buffer.from([...parts, ...secrets.map((secret) => [...secret])].flat())
      const redactor = knowing(...secrets)
      const whole = throughStream(redactor, text, [])
      assert.deepEqual(throughStream(redactor, text, at), whole)
      for (const secret of secrets) assert.equal(whole.includes(secret), false)
    }),
    { numRuns: rounds(500, 150) },
  )
})

test('text that holds no secret passes unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const redactor = knowing('a-secret-that-no-text-holds', 'Ünother secret')
      assert.equal(redactor.redact(a), a)
      assert.equal(redactor.redact(b), b)
      assert.equal(redactor.redact(`\ud800${b}`), `\ud800${b}`)
    }),
  )
})

test('a stream holds back only what could be the beginning of a secret', () => {
  const stream = knowing('value-one').stream()
  const push = (text: string): string => stream.push(Buffer.from(text)).toString()
  assert.equal(push('all of this'), 'all of this')
  assert.equal(push('some v'), 'some ')
  assert.equal(push('alue-'), '')
  assert.equal(push('two'), 'value-two')
  assert.equal(push(' value-on'), ' ')
  assert.equal(push('e.'), '[redacted].')
  assert.equal(stream.end().toString(), '')
})

test('a stream lets go at its end of what turned out harmless', () => {
  const stream = knowing('value-one').stream()
  assert.equal(stream.push(Buffer.from('val')).toString(), '')
  assert.equal(stream.end().toString(), 'val')
})

test('a secret that the end of the text cuts off is hidden from eight bytes on', () => {
  const redactor = knowing('value-one-two')
  assert.equal(redactor.redact('log: value-one-t'), 'log: [redacted]')
  assert.equal(redactor.redact('log: value-o'), 'log: value-o')
})

test('secrets that overlap, touch or contain each other become one mark', () => {
  const redactor = knowing('abcdef', 'defghi', 'abcdefgh', 'abcd')
  assert.equal(redactor.redact('<abcdefghi>'), '<[redacted]>')
  assert.equal(redactor.redact('<abcdefabcdef>'), '<[redacted]>')
  assert.equal(redactor.redact('<abcd>'), '<[redacted]>')
  assert.equal(redactor.redact('<abcdx>'), '<[redacted]x>')
})

test('the lines of a PEM key are hidden one by one, also in JSON', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const body = pem.split('\n')[1] as string
  const redactor = knowing(pem)
  assert.equal(redactor.redact(`key: ${body}`), 'key: [redacted]')
  assert.equal(redactor.redact(`"${pem.trim().replaceAll('\n', '\r\n')}"`).includes(body), false)
  assert.equal(redactor.redact(JSON.stringify({ pem })), '{"pem":"[redacted]"}')
  const trimmed = Buffer.from(pem.trim()).toString('base64')
  assert.equal(redactor.redact(trimmed), '[redacted]')
})

test('a secret stored with a line break at its end is hidden without it', () => {
  assert.equal(knowing('value-one\n').redact('it is value-one!'), 'it is [redacted]!')
})

test('values under four bytes are not learnt, and under six only as they are', () => {
  assert.equal(knowing('abc').redact('abc abc'), 'abc abc')
  assert.equal(knowing('abcd').redact('abcd 61626364'), '[redacted] 61626364')
})

test('a stream finds what was learnt after it began, and nothing after forget()', () => {
  const redactor = createRedactor()
  const stream = redactor.stream()
  assert.equal(stream.push(Buffer.from('value-one ')).toString(), 'value-one ')
  redactor.learn(Buffer.from('value-one'))
  redactor.learn(Buffer.from('value-one'))
  assert.equal(stream.push(Buffer.from('value-one ')).toString(), '[redacted] ')
  redactor.forget()
  assert.equal(stream.push(Buffer.from('value-one ')).toString(), 'value-one ')
  redactor.learn(Buffer.from('value-one'))
  assert.equal(redactor.redact('value-one'), '[redacted]')
})

test('the tokens of a stored sign-in are hidden on their own', () => {
  const redactor = createRedactor()
  const stored = {
    access_token: 'gho_accessvalue',
    refresh_token: 'ghr_refreshvalue',
    scope: 'repo',
  }
  redactor.learn(Buffer.from(JSON.stringify(stored)))
  assert.equal(
    redactor.redact('got ghr_refreshvalue and gho_accessvalue for repo'),
    'got [redacted] and [redacted] for repo',
  )
  redactor.learn(Buffer.from('{"access_token":'))
})

const found = (secret: string, text: string): boolean => {
  const redactor = createRedactor()
  redactor.learn(Buffer.from(secret))
  return redactor.isIn(text)
}

for (const [name, encode] of Object.entries(ENCODERS)) {
  test(`a secret is found in this spelling: ${name}`, () => {
    assert.equal(found(TOKEN, `<${encode(TOKEN)}>`), true)
    assert.equal(found(TOKEN, `<${encode(TOKEN).slice(1)}>`), false)
  })
}

const PLAIN = 'ghp_8fJ2kLq0ZrT5vXw3'

test('the password in an address is hidden on its own, as written and as meant; a plain word is not', () => {
  const address = 'postgres://app:k7%2FTq!w9@x@db.example.com:5432/shop?sslmode=require'
  const redactor = knowing(address)
  const redact = (text: string): string => redactor.redact(text)
  assert.equal(redact(`dsn ${address}`), 'dsn [redacted]')
  assert.equal(redact('user app, password k7%2FTq!w9@x'), 'user app, password [redacted]')
  assert.equal(redact('user app, password k7/Tq!w9@x'), 'user app, password [redacted]')
  assert.equal(redact('db.example.com:5432 shop'), 'db.example.com:5432 shop')
  const plain = knowing('postgres://postgres:postgres@localhost:5432/postgres')
  assert.equal(plain.redact('a postgres database'), 'a postgres database')
})

test('however a token is cut in two, the longer piece is found wherever it stands', () => {
  const encoders = [String, ...['base64', 'hex'].map((as) => asBytes(as as BufferEncoding))]
  for (const encode of encoders) {
    const whole = encode(PLAIN)
    for (let at = 0; at <= whole.length; at += 1) {
      const pieces = [`to ${whole.slice(0, at)}; `, ` of ${whole.slice(at)}.`]
      const isKnown = pieces.some((piece) => found(PLAIN, piece))
      assert.ok(isKnown, `${whole} cut at ${at}`)
    }
  }
  const bundle = JSON.stringify({ access_token: PLAIN, token_type: 'bearer' })
  assert.equal(found(bundle, `x ${PLAIN.slice(0, 10)} y`), true)
})

function asBytes(as: BufferEncoding): (secret: string) => string {
  return (secret) => Buffer.from(secret).toString(as)
}

test('less than half of a token, and half of what anybody may say, is no secret', () => {
  assert.equal(found(PLAIN, `tokens begin with ${PLAIN.slice(0, 9)}`), false)
  assert.equal(found('short-secret', 'short-'), false)
  assert.equal(found('00000000', '30303030'), false, 'half of it in hex')
  assert.equal(found('correct horse battery staple', 'correct horse battery'), false)
  const address = 'postgres://cordon:pw@db.work.example/shop'
  assert.equal(found(address, 'connect to db.work.example/shop'), false)
  assert.equal(found(address, address), true)
  assert.equal(createRedactor().isIn(PLAIN), false)
})

test('isIn() knows nothing any more once the redactor forgot', () => {
  const redactor = createRedactor()
  redactor.learn(Buffer.from(PLAIN))
  redactor.forget()
  assert.equal(redactor.isIn(PLAIN), false)
})
