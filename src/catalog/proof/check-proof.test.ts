import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loginOf } from './check-proof.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('loginOf() makes the header that npm makes, of a token, a pair in one setting, or a name and a password', () => {
  const of = (login: Readonly<Record<string, string>>) => loginOf({ login }).authorization
  assert.equal(of({ '//r.test/:_authToken': 't' }), 'Bearer t')
  assert.equal(of({ '//r.test/:_auth': base64('ann:pässword') }), `Basic ${base64('ann:pässword')}`)
  const pair = { '//r.test/:username': 'ann', '//r.test/:_password': base64('pässword') }
  assert.equal(of(pair), `Basic ${base64('ann:pässword')}`)
  assert.equal(of({ '//r.test/:username': 'ann' }), undefined)
  assert.equal(of({}), undefined)
})
