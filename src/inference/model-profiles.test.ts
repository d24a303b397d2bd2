import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseProfiles } from './model-profiles.ts'

const REMOTE = { url: 'https://api.example.com/v1', model: 'm', key: 'vault:model_key' }
const LOCAL = { url: 'http://127.0.0.1:11434/v1', model: 'm', local: true }

test('parseProfiles() gives no model where there is no [models] table', () => {
  assert.equal(parseProfiles(undefined).size, 0)
})

test('a model somewhere else reads what is internal, one on this machine what is regulated', () => {
  const profiles = parseProfiles({ default: REMOTE, home: LOCAL })
  assert.equal(profiles.get('default')?.clearance, 'internal')
  assert.equal(profiles.get('home')?.clearance, 'regulated')
  assert.deepEqual(profiles.get('default')?.key, { scheme: 'vault', name: 'model_key' })
})

test('the owner may say otherwise, but nobody may send what is regulated away or a secret anywhere', () => {
  const clearance = (changes: object) =>
    parseProfiles({ default: { ...REMOTE, ...changes } }).get('default')?.clearance
  assert.equal(clearance({ clearance: 'sensitive' }), 'sensitive')
  assert.throws(() => clearance({ clearance: 'regulated' }), /models\.default\.clearance/)
  assert.throws(() => clearance({ ...LOCAL, key: 'vault:k', clearance: 'secret' }), /clearance/)
})

test('a mistake in a profile is an error that names the place', () => {
  const odd: readonly (readonly [unknown, RegExp])[] = [
    [[], /Cannot read models in config\.toml/],
    [{ default: 1 }, /models\.default in/],
    [{ default: { model: 'm' } }, /models\.default\.url/],
    [{ default: { ...REMOTE, url: 'ftp://x' } }, /models\.default\.url/],
    [{ default: { ...REMOTE, url: 'http://api.example.com' } }, /expected https/],
    [{ default: { ...REMOTE, url: 'https://u:p@api.example.com/' } }, /no user name/],
    [{ default: { ...REMOTE, url: 'https://api.example.com/?k=1' } }, /query/],
    [{ default: { ...REMOTE, url: 'http://localhost:1/v1' } }, /local = true/],
    [{ default: { ...REMOTE, local: true } }, /local model is at/],
    [{ default: { ...REMOTE, max_output_tokens: 0 } }, /max_output_tokens/],
    [{ default: { ...REMOTE, tools: [] } }, /models\.default/],
    [{ '../x': REMOTE }, /no name of a model/],
  ]
  for (const [table, words] of odd) {
    assert.throws(() => parseProfiles(table), { code: 'inference.bad-profile', message: words })
  }
})

test('a key that stands there in plain text is refused and not repeated', () => {
  assert.throws(
    () => parseProfiles({ default: { ...REMOTE, key: 'sk-live-1234567890' } }),
    (error: Error) => !error.message.includes('1234567890'),
  )
})
