/** A Cordon with one server that the owner runs without a sandbox, waiting to be killed. */
import { parseServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'

const [folder = '', ...args] = process.argv.slice(2)
const sandbox = await openSandbox({
  pinPath,
  nodePath: process.execPath,
  cordonHome: folder,
  userHome: folder,
})
const settings = {
  mode: 'none',
  memoryLimitBytes: 2 ** 28,
  readOnlyFs: true,
  allowTmp: true,
  readPaths: [],
  writePaths: [],
} as const
const program = {
  command: 'sh',
  args,
  environment: {},
  networked: false,
  settings,
  dangerouslyUnsandboxed: true,
}
await sandbox.launch({ server: parseServerId('bare'), ...program }, never)
process.stdout.write('launched')
setInterval(() => undefined, 1_000)
