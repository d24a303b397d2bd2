/** Launches a program that takes more memory than it may, and prints by which layer it was held and how it ended. */
import { pinPath } from '../../src/home/pin-path.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'
import { checkCgroups } from '../../src/sandbox/sandbox-checks.ts'

const settings = {
  mode: 'bwrap',
  memoryLimitBytes: 64 * 2 ** 20,
  readOnlyFs: true,
  allowTmp: true,
  readPaths: [],
  writePaths: [],
} as const
const places = { nodePath: process.execPath, cordonHome: '/nowhere/.cordon', userHome: '/nowhere' }
const args = ['-e', '$| = 1; my $held = "x" x 2e8; print "held"; sleep 600']
await using sandbox = await openSandbox({ ...places, pinPath })
try {
  const program = { command: 'perl', args, environment: {}, networked: true, settings }
  const running = await sandbox.launch(
    { server: parseServerId('one'), ...program },
    new AbortController().signal,
  )
  running.stdout.resume()
  running.stderr.resume()
  const { memoryLayer } = running
  const { kind } = await running.ended
  process.stdout.write(JSON.stringify({ memoryLayer, kind, cgroups: checkCgroups().verdict }))
} catch (error) {
  if (!(error instanceof CordonError)) throw error
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }))
}
