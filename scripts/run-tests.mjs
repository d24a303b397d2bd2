/** Runs the given test files of the checkout in the working folder, and reports. Started by `scripts/test.cjs`, on Node 24. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { run } from 'node:test'
import path from 'node:path'
import { checkPrompts } from './check-prompts.mjs'
import { bundleForTests } from './test-bundle.mjs'
import { inGroups } from './test-groups.mjs'
import { inOrder } from './test-order.mjs'
import { FEW_FILES, report } from './test-reporter.mjs'

const root = process.cwd()
/** More files than these fail for a reason that is no race. */
const MOST_UNSTABLE = 3
/** `--all`: every test of `npm test`, or of `npm run test:full`. */
const isAll = process.argv[2] === '--all'
const files = inOrder(process.argv.slice(isAll ? 3 : 2))
const isLong =
  process.env['CORDON_ROUNDS'] === 'full' || files.some((file) => file.includes('.full.test.'))

await using shared = new AsyncDisposableStack()
/** Scripted models write down what they are sent: `test/fixtures/prompts/record-prompt.ts`. */
const prompts = mkdtempSync(path.join(tmpdir(), 'cordon-prompts-'))
shared.defer(() => rmSync(prompts, { recursive: true }))
process.env['CORDON_TEST_PROMPTS'] = prompts
const isWhole = files.length > FEW_FILES
if (isWhole) await shareAmong(files)
const cache = path.join(root, 'node_modules', '.cache')
const groups = isWhole
  ? inGroups(files, { root, folder: path.join(cache, `cordon-groups-${process.pid}`) })
  : new Map()
const grouped = new Set([...groups.values()].flat())
const alone = files.filter((file) => !grouped.has(file))
/** Groups of tests that mostly wait run beside those that mostly compute. */
const [ofUnits, ofRooms] = ['src-', 'test-'].map((start) =>
  [...groups.keys()].filter((module) => path.basename(module).startsWith(start)),
)

const failed = await runFiles([...ofRooms, ...alone, ...ofUnits], {
  files,
  groups,
  // Many tests wait for something most of the time.
  concurrency: availableParallelism() * 3,
})
const isGood = failed?.length === 0 || (isWhole && (await pass(failed)))
const checked = checkPrompts(prompts, isAll)
process.stdout.write(checked.text)
process.exitCode = isGood && checked.isGood ? 0 : 1

function runFiles(modules, { files, groups, concurrency }) {
  // Of one test, not of one file: long enough on a machine that does ten other things.
  const timeout = isLong ? 1_800_000 : 600_000
  const events = run({ files: modules, concurrency, timeout })
  return report(events, { files, groups, root, out: process.stdout })
}

/**
 * A second run, alone, of the few files that failed beside others. A race shows once and is named in the last lines; a
 * defect fails again. Many failures are no race, so they are not tried again: docs/decisions/0034.
 */
async function pass(unstable) {
  if (unstable === undefined || unstable.length > MOST_UNSTABLE) return false
  process.stdout.write(`\nOnce more, each alone: ${unstable.join(', ')}\n`)
  const again = await runFiles(unstable, { files: unstable, groups: new Map(), concurrency: 1 })
  if (again?.length !== 0) return false
  for (const file of unstable) {
    process.stdout.write(`UNSTABLE ${file}: failed beside others, passed alone; mend it\n`)
  }
  return true
}

/** Slow preparations, done once for all files: the bundle, a PostgreSQL, the npm packages of real servers. */
async function shareAmong(files) {
  installPackages()
  process.env['CORDON_TEST_BUNDLE'] ??= await bundleForTests(root)
  if (!files.some((file) => readFileSync(file, 'utf8').includes('openPostgres('))) return
  const { startPostgres } = await import('../test/fixtures/postgres.ts')
  const { url } = shared.use(await startPostgres())
  process.env['CORDON_TEST_POSTGRES'] = new URL(url).searchParams.get('host')
}

/** Runs beside the first tests. A test whose package is not ready waits for the lock, or installs the package itself. */
function installPackages() {
  const installing = spawn(process.execPath, ['test/fixtures/install-packages.ts'], {
    cwd: root,
    stdio: 'ignore',
  })
  shared.defer(() => void installing.kill())
}
