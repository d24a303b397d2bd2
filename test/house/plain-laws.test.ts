/** Plants one violation of each law in `scripts/laws` and expects it to be reported; the house itself has none. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { commentViolations } from '../../scripts/laws/comments.ts'
import { commitViolations, subjectFault } from '../../scripts/laws/commits.ts'
import { kernelViolations, portViolations } from '../../scripts/laws/kernel-size.ts'
import { nameViolations } from '../../scripts/laws/names.ts'
import { COMMENTED, readSources } from '../../scripts/laws/sources.ts'

const faults = (text: string): readonly string[] =>
  commentViolations('src/a.ts', text).map(({ what }) => what.split(':')[0] ?? '')
/** Builds the comment, because the law also reads this file. */
const block = (text: string): string => `/** ${text} */`

test('a comment of stand-ins is refused, in either form of comment', () => {
  const riddle = 'All that it may be, with what it is in any case of those.'
  assert.deepEqual(faults(`${block(riddle)}\nexport const a = 1`), ['5 of 14 words are stand-ins'])
  assert.deepEqual(faults(`// ${riddle}\nexport const a = 1`), ['5 of 14 words are stand-ins'])
  assert.deepEqual(faults("const url = 'https://what.it.is/that/which/it/was/so/it/is'"), [])
})

test('a comment that begins with a stand-in is refused', () => {
  assert.deepEqual(faults(block('What a token is made of.')), [
    'begins with a stand-in instead of its subject',
  ])
  assert.deepEqual(faults(block('Whatever the kernel sends.')), [
    'begins with a stand-in instead of its subject',
  ])
})

test('a comment that gives the owner a gender is refused', () => {
  assert.deepEqual(faults(block('The owner, and his vault.')), ['a person is "they"'])
})

test('a comment that names its subject is not refused, whatever code it quotes', () => {
  assert.deepEqual(faults(block('The lease of a secret ends when its holder is disposed.')), [])
  assert.deepEqual(faults(block('Returns `what it is that whoever` and no other value.')), [])
})

test('a violation names the file and the line', () => {
  const text = `${block('Fine.')}\n\n${block('What it is.')}\n`
  const [found] = commentViolations('src/a.ts', text)
  assert.equal(found?.where, 'src/a.ts:3')
})

test('a riddle is refused in tests, benchmarks, scripts and the launcher, as in the program', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'cordon-laws-'))
  const files = ['bench/a.ts', 'bin/a.cjs', 'scripts/laws/a.ts', 'scripts/a.cjs', 'scripts/a.mjs']
  const planted = [...files, 'src/vault/a.test.ts', 'test/house/a.ts']
  try {
    for (const file of planted) {
      mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
      writeFileSync(path.join(root, file), `${block('What it is.')}\n`)
    }
    const found = readSources(root, COMMENTED).flatMap(([file, text]) =>
      commentViolations(file, text),
    )
    assert.deepEqual(
      found.map(({ where }) => where).toSorted(),
      planted.map((file) => `${file}:1`).toSorted(),
    )
  } finally {
    rmSync(root, { recursive: true })
  }
})

const NONE = { families: [], collections: [] }

test('a file that is named after none of its exports is refused', () => {
  const text = 'export function prepareRun(): void {}\n'
  assert.equal(nameViolations('src/flows/start-flow.ts', text, NONE).length, 1)
  assert.equal(nameViolations('src/flows/prepare-run.ts', text, NONE).length, 0)
  const listed = { families: [], collections: ['src/flows/start-flow.ts'] }
  assert.equal(nameViolations('src/flows/start-flow.ts', text, listed).length, 0)
})

test('a file on the list of exceptions that needs none is refused', () => {
  const listed = { families: [], collections: ['src/flows/prepare-run.ts'] }
  const text = 'export function prepareRun(): void {}\n'
  assert.equal(nameViolations('src/flows/prepare-run.ts', text, listed).length, 1)
})

test('a kernel that grows past its budget is refused', () => {
  const lines = (count: number): string => 'x\n'.repeat(count)
  assert.deepEqual(kernelViolations([['src/kernel/a.ts', lines(2600)]]), [])
  const grown = [
    ['src/kernel/a.ts', lines(2600)],
    ['src/kernel/b.ts', lines(1)],
    ['src/vault/c.ts', lines(5000)],
  ] as const
  assert.match(kernelViolations(grown)[0]?.what ?? '', /has 2601 lines/)
})

test('a kernel that does I/O is refused; its tests are not', () => {
  const judge = (file: string, text: string): number =>
    kernelViolations([[`src/kernel/${file}`, text]]).length
  const reads = "import { readFileSync } from 'node:fs'\n"
  assert.equal(judge('a.ts', reads), 1)
  assert.equal(judge('a.ts', "import type { Stats } from 'node:fs'\n"), 0)
  for (const file of ['a.test.ts', 'test-a.ts']) assert.equal(judge(file, reads), 0)
})

test('a port that holds anything but types is refused', () => {
  const judge = (text: string): number => portViolations([['src/ports/a-port.ts', text]]).length
  assert.equal(judge("import type { A } from './b.ts'\nexport interface B extends A {}\n"), 0)
  assert.equal(judge('export type A = string\n'), 0)
  for (const text of [
    'export const A = 1',
    'export function a(): void {}',
    "export { a } from './b.ts'",
    "import { type A } from './b.ts'",
  ]) {
    assert.equal(judge(`${text}\n`), 1, text)
  }
})

test('a commit subject is refused unless it is a room, a colon and an imperative', () => {
  for (const subject of [
    'vault: lend secrets by lease',
    'setup, catalog: pass the plan on',
    'egress: process one head at a time',
    'flows: embed the schema',
  ]) {
    assert.equal(subjectFault(subject), undefined, subject)
  }
  for (const subject of [
    'Lend secrets by lease',
    'vault lend secrets',
    'vault: a secret is lent by lease',
    'vault: what is lent is wiped',
    'vault: lends secrets',
    'vault: lending secrets',
    'vault: added a lease',
    'flows: no run is lost',
  ]) {
    assert.notEqual(subjectFault(subject), undefined, subject)
  }
  const [found] = commitViolations('abc1234 vault: lend by lease\ndef5678 vault: a lease ends\n')
  assert.equal(found?.where, 'def5678')
})
