/** The runner of `npm test`, run on planted test files: its output, its summary at the end, and its exit code. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
const LONG = [
  `test('says much', () => assert.fail(Array.from({ length: 200 }, (_, at) => 'line ' + at).join('\\n')))`,
  `test('has a cause', () => {
    throw new Error('above', { cause: Object.assign(new TypeError('below'), { code: 'E_BELOW' }) })
  })`,
]
const CRASHING = `process.exitCode = 7`

/** Runs `count` test files in this folder of a checkout: the given bodies first, then files that hold GOOD. */
async function run(where: string, count: number, ...bodies: readonly string[]): Promise<Ran> {
  const imports = `import assert from 'node:assert/strict'\nimport { suite, test } from 'node:test'\n`
  mkdirSync(path.join(folder, where), { recursive: true })
  const files = Array.from({ length: count }, (_, at) => {
    const file = path.join(where, `file${at}.test.mjs`)
    writeFileSync(path.join(folder, file), imports + (bodies[at] ?? GOOD))
    return file
  })
  const { NODE_TEST_CONTEXT: _, ...own } = process.env
  const env = { ...own, CORDON_TEST_BUNDLE: '' } // no planted file starts the program
  const runner = path.join(root, 'scripts', 'run-tests.mjs')
  return await finish(spawn(process.execPath, [runner, ...files], { env, cwd: folder }))
}

const countsIn = ({ stdout }: Ran): readonly string[] =>
  stdout.split('\n').filter((line) => /^# (?:tests|pass|fail|cancelled|skipped) /.test(line))

for (const [kind, where] of [
  ['files with a process each', 'elsewhere'],
  ['files of one room, in one process', 'src/room'],
] as const) {
  test(`${kind} that all pass are counted, and the run ends with 0`, async () => {
    const ran = await run(where, 7)
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

  test(`${kind}: a failure is told when it happens and in full at the end, with what its process wrote`, async () => {
    const ran = await run(where, 7, BAD)
    assert.equal(ran.code, 1)
    const [first = ''] = ran.stdout.split('\nOnce more, each alone: ')
    const [atOnce = '', inFull = '', ...more] = first
      .split(/^FAIL .*file0\.test\.mjs: is wrong\n/m)
      .slice(1)
    assert.deepEqual(more, [])
    assert.match(atOnce, /^ {5}Expected values to be strictly equal:/)
    assert.match(atOnce, /\.test\.mjs wrote:\nabout to fail\n/)
    assert.match(atOnce, /^Skipped:\n {2}.*file0\.test\.mjs: is left out$/m)
    // The end of the output: nothing but the counts comes after the failures.
    assert.match(
      inFull,
      /^AssertionError \[ERR_ASSERTION\]: Expected values to be strictly equal:\n\n2 !== 3\n(?: +at .*file0\.test\.mjs:4.*\n)+\n# tests 8\n/,
    )
    assert.deepEqual(countsIn(ran).slice(0, 5), [
      '# tests 8',
      '# pass 6',
      '# fail 1',
      '# cancelled 0',
      '# skipped 1',
    ])
  })

  test(`${kind}: the end of the output has the whole message of each failure, with what caused it`, async () => {
    const ran = await run(where, 7, ...LONG)
    assert.equal(ran.code, 1)
    const end = ran.stdout.slice(ran.stdout.indexOf('\nSlowest files:'))
    for (const name of ['says much', 'has a cause']) {
      assert.match(end, new RegExp(`^FAIL .*file[01]\\.test\\.mjs: ${name}$`, 'm'))
    }
    assert.ok(end.includes(Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n')))
    assert.match(end, /^Error: above\n(?: +at .*\n)+because of TypeError \[E_BELOW\]: below\n/m)
    assert.doesNotMatch(end, /node:internal/)
  })

  test(`${kind}: a process that ends badly fails the run, though none of its tests did`, async () => {
    const ran = await run(where, 7, CRASHING)
    assert.equal(ran.code, 1)
    assert.match(
      ran.stdout,
      /\.test\.mjs: the whole file\nThe process of the file ended with code 7/,
    )
  })
}

test('a process that dies names the files of its room that were not done', async () => {
  const ran = await run(
    'src/dying',
    7,
    GOOD,
    `test('dies', () => process.kill(process.pid, 'SIGKILL'))`,
  )
  assert.equal(ran.code, 1)
  assert.match(
    ran.stdout,
    /^FAIL (?:src\/dying\/file[0-6]\.test\.mjs,? ?){6,7}: the whole file\nThe process of the file was ended by SIGKILL/m,
  )
})

test('a file that cannot be loaded fails alone', async () => {
  const ran = await run('src/broken', 7, `import 'node:nobody-has-this'`)
  assert.equal(ran.code, 1)
  assert.match(
    ran.stdout,
    /^FAIL src\/broken\/file0\.test\.mjs: the whole file\nError.*nobody-has-this/m,
  )
  assert.ok(countsIn(ran).includes('# pass 6'))
})

/** Fails in its first process and passes in the next one. */
const ONCE = `import { existsSync, writeFileSync } from 'node:fs'
const ran = new URL('ran-' + import.meta.url.split('/').at(-1), import.meta.url)
test('is red once', () => {
  const isFirst = !existsSync(ran)
  writeFileSync(ran, '')
  assert.equal(isFirst, false)
})`

test('a file that fails beside others and passes alone is named as unstable, and the run ends with 0', async () => {
  const ran = await run('unstable/few', 7, ONCE)
  assert.equal(ran.code, 0, ran.stdout)
  assert.match(ran.stdout, /^FAIL .*file0\.test\.mjs: is red once$/m)
  assert.match(ran.stdout, /^UNSTABLE .*file0\.test\.mjs: failed beside others/m)
})

test('four files that fail are too many for a race: none is tried again', async () => {
  const ran = await run('unstable/many', 7, ONCE, ONCE, ONCE, ONCE)
  assert.equal(ran.code, 1)
  assert.doesNotMatch(ran.stdout, /^(?:Once more|UNSTABLE)/m)
})

test('with few files each test is named', async () => {
  const ran = await run('elsewhere', 2, BAD)
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
  const [unit, rooms, packages] = [
    'src/text/json.test.ts',
    'test/promises.test.ts',
    'test/transcripts/connect.test.ts',
  ]
  assert.deepEqual(inOrder([unit, packages, rooms, longest]), [longest, rooms, packages, unit])
})
