import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseServerId } from '../../kernel/server-id.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import { assertLinear } from '../../text/test-linear.ts'
import { faultIn, readAnswer } from './read-answer.ts'

const PLAIN: CredentialNeed = {
  key: 'T',
  secret: 't',
  title: 'token',
  prefixes: [],
  required: true,
}
const KNOWN: CredentialNeed = { ...PLAIN, prefixes: ['ntn_'], pattern: '^secret_[A-Za-z0-9]{8}$' }
const SETTING: CredentialNeed = { key: 'S', title: 'team id', prefixes: [], required: true }

const serviceWith = (...credentials: readonly CredentialNeed[]): Service => ({
  slug: parseServerId('notion'),
  title: 'Notion',
  about: '',
  aliases: [],
  origin: 'catalog',
  source: { kind: 'catalog', name: 'notion' },
  label: 'internal',
  launch: { kind: 'http', baseUrl: '' },
  domains: [],
  telemetryDomains: [],
  credentials,
  oauth: [],
  env: {},
  tools: {},
  notes: [],
})
const GITHUB = { slug: parseServerId('github'), title: 'GitHub' }

const read = (need: CredentialNeed, text: string): string =>
  readAnswer(serviceWith(need), need, { text }).kind
const fault = (need: CredentialNeed, text: string): string | undefined =>
  faultIn(serviceWith(need, KNOWN), need, { text })

test('readAnswer() knows a token by its prefix and by its pattern', () => {
  assert.equal(read(KNOWN, 'ntn_1234'), 'value')
  assert.equal(read(KNOWN, 'secret_abcdEFGH'), 'value')
  assert.equal(read(KNOWN, 'ntn_'), 'ordinary')
  assert.equal(read(KNOWN, 'ntn'), 'ordinary')
})

test('readAnswer() takes 15 to 500 characters without white space, nearly all of them usual', () => {
  assert.equal(read(PLAIN, 'a1'.repeat(7)), 'ordinary') // 14
  assert.equal(read(PLAIN, 'a1b2c3d4e5f6g7h'), 'value') // 15
  assert.equal(read(PLAIN, 'a'.repeat(500)), 'value')
  assert.equal(read(PLAIN, 'a'.repeat(501)), 'ordinary')
  assert.equal(read(PLAIN, `${'a'.repeat(18)}!!`), 'ordinary') // 0.9 exactly
  assert.equal(read(PLAIN, `${'a'.repeat(19)}!`), 'value') // 0.95
  assert.equal(read(PLAIN, 'abcdefgh ijklmnopq'), 'ordinary')
  assert.equal(read(PLAIN, 'https://example.com/a/long/page'), 'ordinary')
  assert.equal(read(PLAIN, 'AZaz09-_.:=+/AZaz09'), 'value')
})

test('readAnswer() sees a token that was cut into pieces or wrapped in words', () => {
  for (const text of ['ntn_12345678 90', 'here: ntn_12345678', 'token="ntn_12345678" ok']) {
    assert.equal(read(KNOWN, text), 'in-pieces', text)
  }
  assert.equal(read(KNOWN, 'secret_abcd\nEFGH'), 'in-pieces')
  assert.equal(read(PLAIN, 'abcdefgh12345678\nABCDEFGH12345678'), 'in-pieces')
  assert.equal(read(PLAIN, 'one line\nand another'), 'ordinary')
})

test('readAnswer() hears cancel words only when they are the whole message', () => {
  for (const text of ['cancel', 'NEVERMIND', ' skip\n', 'Abort']) {
    assert.equal(read(PLAIN, text), 'cancel', text)
    assert.equal(read(SETTING, text), 'cancel', text)
  }
  assert.equal(read(PLAIN, 'please cancel my subscription'), 'ordinary')
})

test('readAnswer() takes one word for a setting, and leaves conversation alone', () => {
  assert.equal(read(SETTING, 'T0ABC'), 'value')
  assert.equal(read(SETTING, 'what is a team id?'), 'ordinary')
  assert.equal(read({ ...SETTING, pattern: '^T[A-Z0-9]+$' }, 'hello'), 'ordinary')
})

test('readAnswer() lets no token become a plain setting', () => {
  const service = serviceWith(SETTING, KNOWN)
  const kinds = ['ntn_12345678', 'team=ntn_12345678'].map(
    (text) => readAnswer(service, SETTING, { text }).kind,
  )
  assert.deepEqual(kinds, ['misplaced', 'misplaced'])
  const known = { text: 'xyz', tokenOf: GITHUB }
  assert.equal(readAnswer(service, SETTING, known).kind, 'misplaced')
  assert.equal(faultIn(service, SETTING, known), 'it is a token')
})

test('readAnswer() tells a token of another service', () => {
  const entry = { text: 'ghp_abcdefgh12345678', tokenOf: GITHUB }
  const answer = readAnswer(serviceWith(PLAIN), PLAIN, entry)
  assert.deepEqual(answer, { kind: 'of-another', title: 'GitHub' })
  assert.equal(faultIn(serviceWith(PLAIN), PLAIN, entry), 'it is a token of GitHub')
  const account = { ...serviceWith(PLAIN), slug: parseServerId('notion-work') }
  const own = { ...entry, tokenOf: { slug: parseServerId('notion'), title: 'Notion' } }
  assert.equal(
    faultIn(account, PLAIN, own),
    undefined,
    'an account takes the tokens of its service',
  )
})

test('readAnswer() never takes words with spaces between them for a credential', () => {
  const words = fc.array(fc.stringMatching(/^[A-Za-z?!,.]{1,15}$/), { minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(words, fc.constantFrom(PLAIN, KNOWN, SETTING), (spoken, need) => {
      assert.equal(read(need, spoken.join(' ')), 'ordinary')
    }),
  )
})

test('faultIn() says what is wrong with an answer, and never repeats it', () => {
  assert.equal(fault(KNOWN, 'ntn_12345678'), undefined)
  assert.equal(fault(KNOWN, ''), 'it is empty')
  assert.equal(fault(KNOWN, 'ntn_12345678 9'), 'it has spaces or line breaks in it')
  assert.equal(fault(KNOWN, 'ghp_12345678'), "expected token starting with 'ntn_'")
  assert.equal(fault(PLAIN, 'short'), undefined)
  assert.equal(fault(SETTING, 'My Team'), undefined)
  assert.equal(fault(KNOWN, 'file:~/.notion_token'), undefined)
})

test('faultIn() holds a setting against its pattern, and lets no setting grow or hide lines', () => {
  const site = { ...SETTING, pattern: '^[a-z0-9][a-z0-9-]{0,62}$' }
  assert.equal(fault(site, 'acme'), undefined)
  for (const text of ['evil.com/x y\nz', 'a'.repeat(64), 'acme.atlassian.net']) {
    assert.match(fault(site, text) ?? '', /does not look like/, text)
  }
  assert.equal(fault(SETTING, 'My documents'), undefined)
  for (const text of ['two\nlines', 'a\u202eb', 'x'.repeat(501)]) {
    assert.match(fault(SETTING, text) ?? '', /does not look like/, text)
  }
})

test('a word with a token beside it is told from an ordinary one, whatever stands between', () => {
  for (const text of ['token:ntn_abcdefgh is it', '[ntn_abcdefgh] here', 'key|ntn_abcdefgh !']) {
    assert.equal(read(KNOWN, text), 'in-pieces', text)
  }
})

test('readAnswer() runs in linear time', () => {
  assertLinear([' ', '\n '], 4_000_000, (blank) => read(KNOWN, `a${blank}b`))
})
