/** Launches one program in a sandbox and prints its output, or the refusal. */
import { pinPath } from '../../src/home/pin-path.ts'
import { CordonError } from '../../src/kernel/error.ts'
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
await using sandbox = await openSandbox({ ...places, pinPath })
try {
  const program = { command: 'echo', args: ['it ran'], environment: {}, networked: false }
  const running = await sandbox.launch(
    { server: parseServerId('one'), ...program, settings },
    new AbortController().signal,
  )
  for await (const chunk of running.stdout) process.stdout.write(String(chunk))
  await running.ended
} catch (error) {
  if (!(error instanceof CordonError)) throw error
  const { code, message, hint } = error
  process.stdout.write(JSON.stringify({ code, message, hint }))
}
