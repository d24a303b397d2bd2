import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptTools, changesIn, type Manifest, readManifest } from '../life/manifest.ts'
import { lookAlikes } from './look-alike.ts'

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
})

const waiting = ({ tools }: Manifest): readonly string[] =>
  [...tools.values()].filter(({ quarantined }) => quarantined).map(({ name }) => name)

test('at first sight everything is pinned but what resembles something earlier', () => {
  const manifest = readManifest(
    [{ name: 'search' }, { name: 'Search' }, { name: 'send' }],
    undefined,
  )
  assert.deepEqual(waiting(manifest), ['Search'])
  const [change] = changesIn(manifest)
  assert.equal(change?.name, 'Search')
  const accepted = acceptTools(manifest, { Search: change?.hash ?? '' })
  assert.deepEqual(waiting(accepted), [])
})

test('what was accepted was there first, in whatever order they are listed', () => {
  const before = readManifest([{ name: 'search' }], undefined)
  const now = readManifest([{ name: 'Search' }, { name: 'search' }], before)
  assert.deepEqual(waiting(now), ['Search'])
  assert.equal(now.tools.get('Search')?.lookAlike, 'search')
  assert.equal(now.tools.get('search')?.lookAlike, undefined)
})
