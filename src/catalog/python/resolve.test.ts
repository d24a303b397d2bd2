import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobError } from './job-error.ts'
import { parseRequirement } from './requirement.ts'
import { type Candidate, resolve, type Source } from './resolve.ts'
import { parseSpecifiers } from './specifier.ts'
import { compareVersions, parseVersion } from './version.ts'

interface Fake extends Candidate {
  readonly requires: readonly string[]
}

const HERE = { python_version: '3.11', sys_platform: 'linux' }

/** `name version[!yanked|!young]` to its requirements. */
function source(all: Readonly<Record<string, readonly string[]>>): Source<Fake> {
  const candidates = Object.entries(all).map(([key, requires]) => {
    const [name = '', text = ''] = key.split(' ')
    const [written = '', mark] = text.split('!')
    const version = parseVersion(written) ?? assert.fail(key)
    return { name, version, requires, isYanked: mark === 'yanked', isYoung: mark === 'young' }
  })
  return {
    async candidates(name) {
      const found = candidates.filter((one) => one.name === name)
      if (found.length === 0) throw new JobError('no-such-package', `no ${name}`)
      return found.sort((a, b) => compareVersions(b.version, a.version))
    },
    async metadata({ name, version, requires }) {
      return { name, version, requires: requires.map(parseRequirement), readme: '' }
    },
  }
}

async function found(all: Readonly<Record<string, readonly string[]>>, wish: string) {
  const { name, extras, specifiers } = parseRequirement(wish)
  const picked = await resolve({ name, extras, specifiers }, source(all), HERE)
  return picked.map((one) => `${one.name} ${one.version.text}`).sort()
}

test('resolve() takes the newest versions that fit together', async () => {
  const all = { 'a 1': ['b', 'c>=2'], 'b 2': ['c<3'], 'b 1': [], 'c 3': [], 'c 2.5': [], 'c 1': [] }
  assert.deepEqual(await found(all, 'a'), ['a 1', 'b 2', 'c 2.5'])
})

test('resolve() goes back to an older version where a later requirement does not accept it', async () => {
  const all = { 'a 1': ['c', 'b'], 'b 1': ['c<2'], 'c 2': [], 'c 1': [] }
  assert.deepEqual(await found(all, 'a'), ['a 1', 'b 1', 'c 1'])
})

test('resolve() follows extras and markers', async () => {
  const all = {
    'a 1': ['b ; extra == "more"', 'w ; sys_platform == "win32"', 'd[x]'],
    'b 1': [],
    'd 1': ['e ; extra == "x"'],
    'e 1': [],
  }
  assert.deepEqual(await found(all, 'a[more]'), ['a 1', 'b 1', 'd 1', 'e 1'])
})

test('resolve() passes over pre-releases, withdrawn and very young versions', async () => {
  const all = {
    'a 1': ['b', 'c', 'd'],
    'b 2rc1': [],
    'b 1': [],
    'c 2!yanked': [],
    'c 1': [],
    'd 2!young': [],
    'd 1': [],
  }
  assert.deepEqual(await found(all, 'a'), ['a 1', 'b 1', 'c 1', 'd 1'])
  assert.deepEqual(await found({ 'a 2!young': [], 'a 1': [] }, 'a'), ['a 2'])
  assert.deepEqual(await found({ 'a 2!yanked': [], 'a 1': [] }, 'a==2'), ['a 2'])
})

test('resolve() says why nothing fits, and never follows an address', async () => {
  await assert.rejects(found({ 'a 1': ['b<1'], 'b 1': [] }, 'a'), /no version of "b" fits what "a"/)
  await assert.rejects(found({ 'a 1': ['b'] }, 'a'), /no b/)
  await assert.rejects(found({ 'a 1': ['b @ https://evil.example/b.whl'] }, 'a'), /from elsewhere/)
})

test('resolve() ends, however the versions contradict each other', async () => {
  const all: Record<string, readonly string[]> = {
    'a 1': Array.from({ length: 12 }, (_, at) => `p${at}`),
  }
  for (let at = 0; at < 12; at += 1) {
    for (let version = 1; version < 8; version += 1) all[`p${at} ${version}`] = ['q==99']
  }
  all['q 1'] = []
  await assert.rejects(found(all, 'a'), JobError)
})

test('parseSpecifiers() accepts the empty text', () => assert.deepEqual(parseSpecifiers(''), []))
