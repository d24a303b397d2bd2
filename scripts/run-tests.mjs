/** Runs the test files that it is given, in that order, and reports. Started by `scripts/test.cjs`, on Node 24. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { run } from 'node:test'
import { bundleForTests } from './test-bundle.mjs'
import { FEW_FILES, report } from './test-reporter.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const files = process.argv.slice(2)
const isFull = process.env['CORDON_ROUNDS'] === 'full'

if (files.length > FEW_FILES) process.env['CORDON_TEST_BUNDLE'] = await bundleForTests(root)

const events = run({
  files,
  // Many tests wait for something most of the time.
  concurrency: availableParallelism() + 1,
  // One test, not one file. All rounds of a test take longer than some of them.
  timeout: isFull ? 1_800_000 : 240_000,
})
const isGood = await report(events, { files, root, out: process.stdout })
process.exitCode = isGood ? 0 : 1
