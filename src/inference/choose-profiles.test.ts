import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LEVELS, type Level } from '../labels/label.ts'
import { chooseProfiles } from './choose-profiles.ts'
import { parseProfiles } from './model-profiles.ts'

const AT = { url: 'https://api.example.com/v1', model: 'm' }
const HERE = { url: 'http://127.0.0.1:11434/v1', model: 'm', local: true }

const ALL = parseProfiles({
  cloud: { ...AT, fallback: ['trusted', 'poor'] },
  trusted: { ...AT, owner_acknowledged_cloud_risk: true, fallback: ['cloud', 'home'] },
  poor: { ...AT, clearance: 'public' },
  home: HERE,
})

function names(question: { profile?: string; level?: Level }, active = 'cloud'): readonly string[] {
  const choice = chooseProfiles(ALL, active, question)
  return choice.kind === 'profiles'
    ? choice.profiles.map(({ name }) => name)
    : [choice.problem.code]
}

// Regression 4
test('MODEL-2: each level reaches only the models that may read it, and a secret none', () => {
  assert.deepEqual(names({ level: 'public' }), ['cloud', 'trusted', 'poor', 'home'])
  assert.deepEqual(names({ level: 'internal' }), ['cloud', 'trusted', 'home'])
  assert.deepEqual(names({ level: 'sensitive' }), ['trusted', 'home'])
  assert.deepEqual(names({ level: 'regulated' }), ['home'])
  assert.deepEqual(names({ level: 'secret' }), ['inference.not-cleared'])
})

test('MODEL-2: without a level no fallback is cleared for less than the profile itself', () => {
  assert.deepEqual(names({}), ['cloud', 'trusted', 'home'])
  assert.deepEqual(names({ profile: 'trusted' }), ['trusted', 'home'])
  assert.deepEqual(names({ profile: 'home' }), ['home'])
})

test('a profile that is named is not left for one that nobody named', () => {
  const two = parseProfiles({ cloud: AT, home: HERE })
  for (const level of LEVELS.slice(2)) {
    const choice = chooseProfiles(two, undefined, { profile: 'cloud', level })
    assert.equal(choice.kind, 'none', level)
  }
})

test('a model on this machine is found for what the active one may not read', () => {
  const two = parseProfiles({ cloud: AT, trusted: { ...AT, clearance: 'sensitive' }, home: HERE })
  const choice = chooseProfiles(two, 'cloud', { level: 'sensitive' })
  assert.ok(choice.kind === 'profiles')
  assert.deepEqual(
    choice.profiles.map(({ name }) => name),
    ['home', 'trusted'],
  )
})

test('the hint says how to get a model that can be asked', () => {
  const hint = (profiles: ReturnType<typeof parseProfiles>, question: object) => {
    const choice = chooseProfiles(profiles, undefined, question)
    return choice.kind === 'none' ? `${choice.problem.message}: ${choice.problem.hint}` : ''
  }
  assert.match(hint(new Map(), {}), /No model is set up: Run `cordon profiles add default`/)
  const two = parseProfiles({ a: AT, b: HERE })
  assert.match(hint(two, {}), /active one: Run `cordon profiles use NAME`/)
  assert.match(hint(two, { profile: 'x' }), /no model profile "x": Run `cordon profiles add x`/)
  assert.match(
    hint(parseProfiles({ a: AT }), { profile: 'a', level: 'regulated' }),
    /profiles add home/,
  )
})
