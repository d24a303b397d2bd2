/**
 * `npm test [-- PATTERN…]`: makes the machine ready, then runs every test, or those whose path contains a pattern.
 * `npm run test:full` sets CORDON_ROUNDS=full, and does all rounds of each.
 */
'use strict'
const { readdirSync } = require('node:fs')
const path = require('node:path')
const prepare = require('./prepare.cjs')

/** The runner cannot end a test that never gives it a turn; the system can, by the processor time that nothing needs. */
const seconds = process.env.CORDON_ROUNDS === 'full' ? 1800 : 300
const LIMITED = ['sh', '-c', `ulimit -t ${seconds}; exec "$0" "$@"`]

/** Hundreds of processes read the same source: each file is compiled once. */
const compiled = path.join(prepare.root, 'node_modules', '.cache', 'cordon-compiled')

function testFiles(patterns) {
  return ['src', 'test']
    .flatMap((folder) =>
      readdirSync(path.join(prepare.root, folder), { recursive: true }).map((file) =>
        path.join(folder, file),
      ),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
}

void prepare.main(async () => {
  await prepare.ensureDependencies()
  const missing = await prepare.ensureSystemPackages(prepare.TEST_PACKAGES)
  if (missing.length > 0) {
    prepare.say(
      `error: Cannot test without these packages: sudo apt-get install ${missing.join(' ')}`,
    )
    return 5
  }
  const files = testFiles(process.argv.slice(2))
  if (files.length === 0) {
    prepare.say('error: No test file matches')
    return 2
  }
  const runner = path.join('scripts', 'run-tests.mjs')
  return prepare.runNode([runner, ...files], { NODE_COMPILE_CACHE: compiled }, LIMITED)
})
