import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disguiseOf, eyeName, foldName, lookAlikes, plainName } from './look-alike.ts'

test('plainName() leaves case, width, spaces and punctuation aside, and nothing else', () => {
  for (const name of ['Google Drive', 'google-drive', 'GOOGLEDRIVE', 'Ｇｏｏｇｌｅ Ｄｒｉｖｅ']) {
    assert.equal(plainName(name), 'googledrive', name)
  }
  assert.notEqual(plainName('gооgle'), 'google')
  assert.notEqual(plainName('café'), 'cafe')
})

test('foldName() reads letters of other alphabets as the Latin ones they pass for', () => {
  for (const name of ['notion', 'nоtion', 'Νotion', 'nótion', 'not\u200bion', 'not\u3164ion']) {
    assert.equal(foldName(name), 'notion', name)
  }
  assert.notEqual(foldName('n0tion'), 'notion')
})

test('eyeName() also takes digits and pairs of letters for what they resemble', () => {
  for (const name of ['github', 'g1thub', 'glthub', 'GITHUB']) assert.equal(eyeName(name), 'glthub')
  assert.equal(eyeName('rnicro5oft'), eyeName('microsoft'))
  assert.equal(eyeName('vvindovv'), eyeName('window'))
})

test('names that can be taken for each other are told apart, the earlier one keeps its name', () => {
  const pairs: readonly (readonly [string, string])[] = [
    ['search', 'SEARCH'],
    ['search', 'ѕеаrсh'],
    ['search', 'ｓｅａｒｃｈ'],
    ['search', 'se\u200barch'],
    ['get_user', 'getUser'],
    ['list1', 'listl'],
    ['send_mail', 'send_rnail'],
  ]
  for (const [first, second] of pairs) {
    assert.deepEqual([...lookAlikes([first, second])], [[second, first]], second)
  }
  assert.equal(lookAlikes(['search', 'research', 'search_all', '検索', '削除']).size, 0)
  assert.equal(lookAlikes(['+', '-', '+']).size, 0)
})

test('disguiseOf() notices several alphabets in a word, and one that passes for Latin', () => {
  assert.deepEqual(disguiseOf('pаypal'), { kind: 'mixed', alphabets: ['Latin', 'Cyrillic'] })
  assert.deepEqual(disguiseOf('аррӏе'), {
    kind: 'foreign',
    alphabet: 'Cyrillic',
    passesFor: 'appie',
  })
  for (const word of ['paypal', 'Müller', 'Привет', '東京', '']) {
    assert.equal(disguiseOf(word), undefined, word)
  }
})
