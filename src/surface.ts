/** What the command line is handed: ways to find, start or be the kernel. The rooms themselves are loaded only when one is built. */
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findSocketApi } from './cli/socket-api.ts'
import type { OpenApi, Surface } from './cli/surface.ts'
import { CordonError, type ErrorBody } from './kernel/error.ts'
import type { StartedKernel } from './sandbox/start-kernel.ts'

export interface Settings {
  readonly version: string
  readonly homePath: string
  readonly port: number
  readonly databaseUrl: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The program's own file, to start it again in the background. */
  readonly entry: string
}

const START_DEADLINE_MS = 20_000

export function createSurface(settings: Settings): Surface {
  const socketPath = path.join(settings.homePath, 'run', 'cordon.sock')
  const findKernel = () => findSocketApi(socketPath)
  return {
    version: settings.version,
    terminal: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
    workingFolder: process.cwd(),
    findKernel,
    async openKernel(options) {
      const { openHouse } = await import('./house.ts')
      return await openHouse({ ...settings, ...options })
    },
    startKernel: () => startInBackground(settings, findKernel),
    async doctor(signal) {
      await using running = await findKernel().catch(() => undefined)
      if (running) return (await running.call('doctor', {}, signal)).checks
      const { runDoctor } = await import('./doctor.ts')
      return await runDoctor({ homePath: settings.homePath }, signal)
    },
    async chat(api, signal) {
      const { runTerminalChat } = await import('./channels/terminal-chat.ts')
      await runTerminalChat(
        {
          input: process.stdin,
          output: process.stdout,
          answer: async (text) => (await api.call('chat.send', { text }, signal)).reply,
          apologise: (error) =>
            error instanceof CordonError ? `${error.message}. ${error.hint}.` : 'Something broke.',
        },
        signal,
      )
    },
  }
}

/** Starts a kernel and waits until it answers. If another one won the race for the home, that one is as good. */
async function startInBackground(
  settings: Settings,
  findKernel: () => Promise<OpenApi | undefined>,
): Promise<OpenApi> {
  const { startKernel } = await import('./sandbox/start-kernel.ts')
  const outputPath = path.join(settings.homePath, 'logs', 'background.log')
  const outputFd = openOutput(outputPath)
  const { node, entry, environment } = { node: process.execPath, ...settings }
  const kernel = await startKernel({ node, entry, environment, outputFd })
  closeSync(outputFd)
  const deadline = Date.now() + START_DEADLINE_MS
  while (Date.now() < deadline) {
    const api = await findKernel()
    if (api) return await withoutRival(api, kernel)
    const failure = kernel.hasExited() ? readFailure(outputPath) : undefined
    if (failure && failure.code !== 'home.locked') throw CordonError.fromBody(failure)
    await pause(30)
  }
  throw new CordonError(
    'main.no-kernel',
    { exit: 5, hint: `Run \`cordon up\` to see why, or read ${outputPath}` },
    'Cannot start Cordon in the background',
  )
}

/** Where another command was faster, ours must not come up later and take the home after that one has ended. */
async function withoutRival(api: OpenApi, ours: StartedKernel): Promise<OpenApi> {
  const { pid } = await api.call('ping', {})
  if (pid !== ours.pid) ours.stop()
  return api
}

function openOutput(outputPath: string): number {
  try {
    mkdirSync(path.dirname(outputPath), { recursive: true, mode: 0o700 })
    return openSync(outputPath, 'w', 0o600)
  } catch (cause) {
    throw new CordonError(
      'main.home',
      { exit: 5, hint: 'Check the permissions and free space of the folder, or set CORDON_HOME' },
      `Cannot write to ${JSON.stringify(path.dirname(outputPath))}`,
      cause,
    )
  }
}

/** The error that the background kernel printed as its last word. */
function readFailure(outputPath: string): ErrorBody | undefined {
  const last = readFileSync(outputPath, 'utf8').trim().split('\n').at(-1) ?? ''
  try {
    return (JSON.parse(last) as { error?: ErrorBody }).error
  } catch {
    return undefined
  }
}
