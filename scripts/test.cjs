/**
 * `npm test [-- PATTERN…]`: makes the machine ready, then runs every test, or those whose path contains a pattern.
 * `npm run test:full` sets CORDON_ROUNDS=full: it runs the files that `npm test` leaves out (`*.full.test.ts`: processes
 * that are killed many times) and those that it runs with fewer rounds, with all rounds.
 */
'use strict'
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const path = require('node:path')
const prepare = require('./prepare.cjs')

/** A test that blocks the event loop cannot be ended by the runner; a limit of processor time ends it. */
const isFull = process.env.CORDON_ROUNDS === 'full'
const seconds = isFull ? 1800 : 300
const LIMITED = ['sh', '-c', `ulimit -t ${seconds}; exec "$0" "$@"`]

/** Compile cache: hundreds of processes read the same source, and each file is compiled once. */
const compiled = path.join(prepare.root, 'node_modules', '.cache', 'cordon-compiled')

function testFiles(patterns) {
  return ['src', 'test']
    .flatMap((folder) =>
      readdirSync(path.join(prepare.root, folder), { recursive: true }).map((file) =>
        path.join(folder, file),
      ),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) =>
      patterns.length === 0
        ? isFull || !isOnlyInFull(file)
        : patterns.some((pattern) => file.includes(pattern)),
    )
}

const isOnlyInFull = (file) => file.endsWith('.full.test.ts')

/** Whether a test file, or a helper that it imports, asks `test-rounds.ts` how many rounds to run. */
function hasRounds(file, depth = 0) {
  const text = readFileSync(path.join(prepare.root, file), 'utf8')
  if (isOnlyInFull(file) || text.includes('test-rounds.ts')) return true
  const imports = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, target]) =>
    path.join(path.dirname(file), target),
  )
  const helpers = imports.filter((helper) => existsSync(path.join(prepare.root, helper)))
  return (
    depth < 2 && helpers.some((helper) => !helper.startsWith('src') && hasRounds(helper, depth + 1))
  )
}

void prepare.main(async () => {
  await prepare.ensureDependencies()
  await prepare.ensurePage()
  const missing = await prepare.ensureSystemPackages(prepare.TEST_PACKAGES)
  if (missing.length > 0) {
    prepare.say(
      `error: Cannot test without these packages: sudo apt-get install ${missing.join(' ')}`,
    )
    return 5
  }
  const patterns = process.argv.slice(2)
  const matching = testFiles(patterns)
  // The files whose rounds are the same in both have run in `npm test`; those asked for by name run anyway.
  const isWhole = isFull && patterns.length === 0
  const files = isWhole ? matching.filter((file) => hasRounds(file)) : matching
  if (files.length === 0) {
    prepare.say('error: No test file matches')
    return 2
  }
  const runner = path.join('scripts', 'run-tests.mjs')
  const all = process.argv.length === 2 ? ['--all'] : []
  return prepare.runNode([runner, ...all, ...files], { NODE_COMPILE_CACHE: compiled }, LIMITED)
})
