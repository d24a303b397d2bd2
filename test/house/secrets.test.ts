/**
 * One answer to "is this a secret?": every room that asks knows every make of token, and no file outside `text/` keeps
 * a list of its own. `catalog/known/` is excepted: the token prefix of one service is data.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { previewOf } from '../../src/audit/preview-of.ts'
import { refuseSecretArgs } from '../../src/catalog/pasted/pasted-command.ts'
import { readInput } from '../../src/catalog/registry/entry-input.ts'
import { KNOWN_SERVICES } from '../../src/catalog/known-services.ts'
import { parseServerUrl } from '../../src/catalog/server-address.ts'
import { loggable } from '../../src/home/loggable.ts'
import { findSecretArgs } from '../../src/definitions/import/secret-args.ts'
import { urlMistake } from '../../src/definitions/url-mistake.ts'
import { readQuestion } from '../../src/servers/session/question.ts'
import { isWeakPrefix } from '../../src/text/known-tokens.ts'
import { holdsKnownToken } from '../../src/text/looks-secret.ts'
import { MADE_UP_TOKENS } from '../../src/text/test-tokens.ts'

const root = new URL('../../', import.meta.url)
const notShipped = ['**/*.test.ts', '**/fake-*.ts', '**/test-*.ts', 'src/catalog/known/**']
const sources = globSync('src/**/*.{ts,js,mjs}', { cwd: root, exclude: notShipped })

/** The source without its comments, which may mention token prefixes. */
const code = (file: string): string =>
  readFileSync(new URL(file, root), 'utf8').replace(/\/\*[^]*?\*\/|(?<!:)\/\/[^\n]*/g, '')

const TOKEN_PREFIX =
  /\bgh\[?[opsur]+\]?_|github_pat|\bglpat|\bntn_|\bxox\[?[a-z]|\bxapp-|\bsk-(?:ant|proj)|\bAKIA|\btvly-|\bpplx-|\bsntry|\bPMAK|\bfigd_|\blin_api/
/** Two words for a password close together, or a regular expression that matches several such words. */
const WORD_LIST =
  /pass(?:word|wd)s?\W{1,8}(?:\w+\W{1,8}){0,8}passphrase|passphrases?\W{1,8}(?:\w+\W{1,8}){0,8}passw|pass\(\?:\w+\|/i

test('no file outside text/ keeps a list of token prefixes, or of words that announce a secret', () => {
  const lists = (shape: RegExp) => sources.filter((file) => shape.test(code(file)))
  assert.deepEqual(lists(TOKEN_PREFIX), ['src/text/known-tokens.ts'])
  assert.deepEqual(lists(WORD_LIST), ['src/text/secret-name.ts'])
})

test('a second list would be noticed, however it is written', () => {
  for (const planted of [
    'const T = /(?:gh[opsur]_|npm_)/',
    "const T = ['ghp_', 'glpat-']",
    "const T = 'xoxb-'",
  ]) {
    assert.match(planted, TOKEN_PREFIX)
  }
  for (const planted of [
    "const W = 'token secret password passwd pwd pass passphrase'",
    "const W = [\n  'passphrase',\n  'secret',\n  'password',\n]",
    'const W = /pass(?:word|phrase)|secret/',
    'const W = /password|passphrase/',
  ]) {
    assert.match(planted, WORD_LIST)
  }
})

const noToken = (): boolean => false
const redactor = { redact: (text: string): string => text }

for (const [make, token] of Object.entries(MADE_UP_TOKENS)) {
  test(`a token of ${make} is a secret in every room`, () => {
    const tail = token.slice(-9)
    assert.throws(() => refuseSecretArgs([token], noToken), /Cannot use/)
    const address = `https://mcp.example.com/mcp?q=${encodeURIComponent(token)}`
    assert.throws(() => parseServerUrl(address, noToken), /Cannot use/)
    assert.notEqual(readInput('WHATEVER', { value: token }).kind, 'fixed')
    assert.equal(findSecretArgs(['--project-id', token]).length, 1)
    assert.match(urlMistake(address) ?? '', /without a token/)
    assert.ok(!previewOf({ note: token }, redactor as never).includes(tail))
  })
}

test('a name that announces a secret does so in every room', () => {
  for (const name of [
    'password',
    'passphrase',
    'passcode',
    'clientSecret',
    'api_key',
    'jwt',
    'otp',
  ]) {
    assert.throws(() => refuseSecretArgs([`--${name}`, 'plain words'], noToken), name)
    assert.deepEqual(readInput(name, { default: 'x' }), {
      kind: 'ask',
      isSecret: true,
      required: false,
    })
    assert.equal(findSecretArgs([`--${name}`, 'plain words']).length, 1, name)
    assert.deepEqual(loggable({ [name]: 'plain words' }), { [name]: '[redacted]' })
    assert.equal(previewOf({ [name]: 'plain words' }, redactor as never), `{"${name}":"[hidden]"}`)
    const requestedSchema = { type: 'object', properties: { [name]: { type: 'string' } } }
    assert.equal(readQuestion({ message: 'Hello', requestedSchema }).kind, 'unfit', name)
  }
})

test('every prefix that the catalog tells a token by is known', () => {
  const body = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4'
  const prefixes = KNOWN_SERVICES.flatMap(({ credentials }) =>
    credentials.flatMap((one) => one.prefixes),
  )
  assert.ok(prefixes.length > 20)
  const telling = prefixes.filter((prefix) => !prefix.endsWith('://') && prefix !== 'pat')
  for (const prefix of telling) {
    assert.ok(holdsKnownToken(prefix + body), prefix)
    assert.equal(holdsKnownToken(`${prefix}barcelona`), false, prefix)
  }
  assert.ok(telling.some(isWeakPrefix))
})
