/** A Cordon with one sandboxed server, which then takes memory until the kernel kills it. */
import { pinPath } from '../../src/home/pin-path.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'

const settings = {
  mode: 'bwrap',
  memoryLimitBytes: 2 ** 28,
  readOnlyFs: true,
  allowTmp: true,
  readPaths: [],
  writePaths: [],
} as const
const places = { nodePath: process.execPath, cordonHome: '/nowhere/.cordon', userHome: '/nowhere' }
const sandbox = await openSandbox({ ...places, pinPath })
const program = { command: 'sleep', args: ['600'], environment: {}, networked: true, settings }
const signal = new AbortController().signal
await sandbox.launch({ server: parseServerId('one'), ...program }, signal)
process.stdout.write('launched')
const held: Buffer[] = []
setInterval(() => held.push(Buffer.alloc(2 ** 22, 1)), 5)
