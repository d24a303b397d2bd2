import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseActive, parseProfiles } from './model-profiles.ts'

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
    [{ default: { ...REMOTE, fallback: ['gone'] } }, /models\.default\.fallback.*"gone"/],
    [{ default: { ...REMOTE, budget_per_day: { cost: 1 } } }, /price_per_million/],
    [{ default: { ...REMOTE, budget_per_day: { tokens: 0 } } }, /budget_per_day\.tokens/],
    [{ default: { ...REMOTE, provider: 'other' } }, /models\.default\.provider/],
    [{ active: 1, default: REMOTE }, /models\.active/],
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

test('MODEL-2: what is sensitive goes to a cloud model only after the owner acknowledged that', () => {
  const clearance = (profile: object) => parseProfiles({ one: profile }).get('one')?.clearance
  assert.equal(clearance(REMOTE), 'internal')
  assert.equal(clearance({ ...REMOTE, owner_acknowledged_cloud_risk: true }), 'sensitive')
  // Ollama passes such a model on to its own cloud.
  const passedOn = { ...LOCAL, model: 'gpt-oss:120b-cloud' }
  assert.equal(clearance(passedOn), 'internal')
  assert.throws(
    () => clearance({ ...passedOn, clearance: 'regulated' }),
    /only go to a local model/,
  )
})

test('Anthropic has an address of its own, and its wire format is named', () => {
  const profile = parseProfiles({ claude: { provider: 'anthropic', model: 'm' } }).get('claude')
  assert.equal(profile?.url.href, 'https://api.anthropic.com/v1')
})

test('the active profile is the named one, else "default", else the only one', () => {
  const active = (table: object) => parseActive(table, parseProfiles(table))
  assert.equal(active({ active: 'b', a: REMOTE, b: LOCAL }), 'b')
  assert.equal(active({ default: REMOTE, b: LOCAL }), 'default')
  assert.equal(active({ b: LOCAL }), 'b')
  assert.equal(active({ a: REMOTE, b: LOCAL }), undefined)
  assert.equal(active({ active: 'gone', b: LOCAL }), undefined)
})

test('prices are those of the profile, of the table, zero on this machine, or not known', () => {
  const price = (profile: object) => parseProfiles({ one: profile }).get('one')?.price
  assert.deepEqual(price({ ...REMOTE, price_per_million: { input: 1, output: 2 } }), {
    input: 1,
    output: 2,
  })
  assert.deepEqual(price({ ...REMOTE, model: 'claude-sonnet-4-5' }), { input: 3, output: 15 })
  assert.deepEqual(price({ ...REMOTE, model: 'gpt-4o-2024-08-06' }), { input: 2.5, output: 10 })
  assert.deepEqual(price(LOCAL), { input: 0, output: 0 })
  assert.equal(price({ ...REMOTE, model: 'gpt-4o-audio-preview' }), undefined)
  assert.equal(price(REMOTE), undefined)
})
