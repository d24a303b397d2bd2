/** The runner of `npm test`, run on planted test files: its output, its summary at the end, and its exit code. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { finish, type Ran, root } from '../fixtures/cordon.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-reporter-'))
after(() => rmSync(folder, { recursive: true }))

const GOOD = `test('adds', () => assert.equal(1 + 1, 2))`
const BAD = `console.log('about to fail')
suite('sums', () => test('is wrong', () => assert.equal(1 + 1, 3)))
test.skip('is left out', () => {})`
const CRASHING = `process.exitCode = 7`

/** Runs `count` test files: the given bodies first, then files that hold GOOD. */
async function run(count: number, ...bodies: readonly string[]): Promise<Ran> {
  const imports = `import assert from 'node:assert/strict'\nimport { suite, test } from 'node:test'\n`
  const files = Array.from({ length: count }, (_, at) => {
    const file = path.join(folder, `${at}.test.mjs`)
    writeFileSync(file, imports + (bodies[at] ?? GOOD))
    return file
  })
  const { NODE_TEST_CONTEXT: _, ...own } = process.env
  const env = { ...own, CORDON_TEST_BUNDLE: '' } // no planted file starts the program
  const runner = path.join(root, 'scripts', 'run-tests.mjs')
  return await finish(spawn(process.execPath, [runner, ...files], { env }))
}

const countsIn = ({ stdout }: Ran): readonly string[] =>
  stdout.split('\n').filter((line) => /^# (?:tests|pass|fail|cancelled|skipped) /.test(line))

test('files that all pass are counted, and the run ends with 0', async () => {
  const ran = await run(7)
  assert.equal(ran.code, 0, ran.stderr)
  assert.deepEqual(countsIn(ran), [
    '# tests 7',
    '# pass 7',
    '# fail 0',
    '# cancelled 0',
    '# skipped 0',
  ])
  assert.match(ran.stdout, /^Slowest files:\n(?: +\d+\.\d s {2}\S+\n){7}/m)
  assert.doesNotMatch(ran.stdout, /adds/)
})

test('a failure is told when it happens and in full at the end, with what its file wrote', async () => {
  const ran = await run(7, BAD)
  assert.equal(ran.code, 1)
  const [atOnce = '', inFull = '', ...more] = ran.stdout
    .split(/^FAIL .*0\.test\.mjs: is wrong\n/m)
    .slice(1)
  assert.deepEqual(more, [])
  assert.match(atOnce, /^ {5}Expected values to be strictly equal:/)
  assert.match(inFull, /^AssertionError[^]*2 !== 3[^]*at .*0\.test\.mjs:4/)
  assert.match(inFull, /0\.test\.mjs wrote:\nabout to fail\n/)
  assert.match(inFull, /^Skipped:\n {2}.*0\.test\.mjs: is left out$/m)
  assert.deepEqual(countsIn(ran), [
    '# tests 8',
    '# pass 6',
    '# fail 1',
    '# cancelled 0',
    '# skipped 1',
  ])
})

test('a file that ends badly fails the run, though none of its tests did', async () => {
  const ran = await run(7, CRASHING)
  assert.equal(ran.code, 1)
  assert.match(
    ran.stdout,
    /0\.test\.mjs: the whole file\nThe process of the file ended with code 7/,
  )
})

test('with few files each test is named', async () => {
  const ran = await run(2, BAD)
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /^ {2}FAIL is wrong \(\d+ ms\)$/m)
  assert.match(ran.stdout, /^ok {3}adds \(\d+ ms\)$/m)
  assert.match(ran.stdout, /^skip is left out/m)
})

interface Order {
  readonly LONGEST: readonly string[]
  readonly inOrder: (files: readonly string[]) => readonly string[]
}

test('the longest files run first, and each of them exists', async () => {
  const { LONGEST, inOrder } = (await import(path.join(root, 'scripts', 'test-order.mjs'))) as Order
  assert.deepEqual(
    LONGEST.filter((file) => !existsSync(path.join(root, file))),
    [],
  )
  const [longest = ''] = LONGEST
  const files = ['src/a.test.ts', 'test/b.test.ts', longest]
  assert.deepEqual(inOrder(files), [longest, 'test/b.test.ts', 'src/a.test.ts'])
})
