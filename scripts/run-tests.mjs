/** Runs the test files in its arguments, and reports. Started by `scripts/test.cjs`, on Node 24. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { run } from 'node:test'
import { bundleForTests } from './test-bundle.mjs'
import { inOrder } from './test-order.mjs'
import { FEW_FILES, report } from './test-reporter.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const files = inOrder(process.argv.slice(2))
const isFull = process.env['CORDON_ROUNDS'] === 'full'

await using shared = new AsyncDisposableStack()
if (files.length > FEW_FILES) await shareAmong(files)

const events = run({
  files,
  // More than one file per core: many tests wait most of the time.
  concurrency: availableParallelism() + 2,
  // The limit of one test, not of one file; long enough for a busy machine.
  timeout: isFull ? 1_800_000 : 600_000,
})
const isGood = await report(events, { files, root, out: process.stdout })
process.exitCode = isGood ? 0 : 1

/** Builds the bundle and starts PostgreSQL once for all files of the run, since both are slow. */
async function shareAmong(files) {
  process.env['CORDON_TEST_BUNDLE'] ??= await bundleForTests(root)
  if (!files.some((file) => readFileSync(file, 'utf8').includes('openPostgres('))) return
  const { startPostgres } = await import('../test/fixtures/postgres.ts')
  const { url } = shared.use(await startPostgres())
  process.env['CORDON_TEST_POSTGRES'] = new URL(url).searchParams.get('host')
}
