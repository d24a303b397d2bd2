/** A program with one contained process, waiting to be killed. */
import { spawn } from 'node:child_process'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'

const [name, home = '', sleep = ''] = process.argv.slice(2)
if (name === 'cordon') {
  const sandbox = await openSandbox({
    nodePath: process.execPath,
    cordonHome: home,
    userHome: home,
    dangerouslyUnsandboxed: () => false,
  })
  const settings = {
    mode: 'bwrap',
    memoryLimitBytes: 2 ** 28,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [],
    writePaths: [],
  } as const
  const program = { command: 'sleep', args: [sleep], environment: {}, networked: true }
  const server = parseServerId('doomed')
  await sandbox.launch({ server, ...program, settings }, new AbortController().signal)
} else {
  const words = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--', 'sleep', sleep]
  spawn('bwrap', words, { stdio: 'ignore' })
}
setInterval(() => undefined, 1_000)
