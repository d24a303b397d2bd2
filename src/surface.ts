/** What the command line is handed: ways to find, start or be the kernel. The rooms themselves are loaded only when one is built. */
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ChatPlace } from './channels/chat-lines.ts'
import { findSocketApi } from './cli/socket-api.ts'
import type { OpenApi, Surface, Terminal } from './cli/surface.ts'
import { CordonError, type ErrorBody } from './kernel/error.ts'
import type { EgressParts } from './egress/create-egress.ts'
import type { StartedKernel } from './sandbox/start-kernel.ts'

export interface Settings {
  readonly version: string
  readonly homePath: string
  /** As it was written; 0 takes any free one. */
  readonly port: string
  readonly databaseUrl: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The program's own file, to start it again in the background. */
  readonly entry: string
  /** Where the world outside begins. Only a test has another one. */
  readonly outside?: Outside
}

export type Outside = Omit<EgressParts, 'audit' | 'log' | 'now'>

const START_DEADLINE_MS = 20_000

export function createSurface(settings: Settings): Surface {
  const socketPath = path.join(settings.homePath, 'run', 'cordon.sock')
  const findKernel = () => findSocketApi(socketPath)
  return {
    version: settings.version,
    terminal: createTerminal(settings.environment['TERM']),
    get workingFolder() {
      return currentFolder()
    },
    findKernel,
    async openKernel(options) {
      const { openHouse } = await import('./house.ts')
      return await openHouse({ ...settings, ...options, port: parsePort(settings.port) })
    },
    startKernel: () => startInBackground(settings, findKernel),
    async doctor(signal) {
      await using running = await findKernel().catch(() => undefined)
      if (running) return (await running.call('doctor', {}, signal)).checks
      const { runDoctor } = await import('./doctor.ts')
      return await runDoctor({ homePath: settings.homePath }, signal)
    },
    async isBuiltInNode(name) {
      const { BUILT_IN_NODES } = await import('./flows/built-in-nodes.ts')
      return BUILT_IN_NODES.some(({ id, aliases }) => id === name || aliases.includes(name))
    },
    async findShellMistake(words, knowNodes) {
      const { findShellMistake } = await import('./shell-mistake.ts')
      return await findShellMistake(words, knowNodes, currentFolder())
    },
    async edit(draft) {
      const { editText } = await import('./editing.ts')
      return await editText(draft, settings.environment)
    },
    async chat(api, signal) {
      const { runTerminalChat } = await import('./channels/terminal-chat.ts')
      const { createApiChat } = await import('./channels/api-chat.ts')
      const place = placeOf(process.stdout, settings.environment['TERM'])
      await runTerminalChat(createApiChat(api, place), signal)
    },
  }
}

function createTerminal(term: string | undefined): Terminal {
  const { stdin, stdout, stderr } = process
  return {
    stdin,
    stdout,
    stderr,
    isDumb: isDumb(term),
    async typeLine(question, signal) {
      const { typeLine } = await import('./channels/type-line.ts')
      return await typeLine(placeOf(stderr, term), question, signal)
    },
  }
}

function placeOf(output: NodeJS.WriteStream, term: string | undefined): ChatPlace {
  return { input: process.stdin, output, isDumb: !output.isTTY || isDumb(term) }
}

/** As git has it: a terminal of which nothing is known is a dumb one. */
function isDumb(term: string | undefined): boolean {
  return !term || term === 'dumb'
}

/** Starts a kernel and waits until it answers. If another one won the race for the home, that one is as good. */
async function startInBackground(
  settings: Settings,
  findKernel: () => Promise<OpenApi | undefined>,
): Promise<OpenApi> {
  const { startKernel } = await import('./sandbox/start-kernel.ts')
  using kernel = await startKernel({ ...settings, node: process.execPath })
  const deadline = Date.now() + START_DEADLINE_MS
  while (Date.now() < deadline) {
    const api = await findKernel()
    if (api) return await withoutRival(api, kernel)
    const failure = parseFailure(kernel.lastWords())
    if (failure && failure.code !== 'home.locked') throw CordonError.fromBody(failure)
    await pause(30)
  }
  throw new CordonError(
    'main.no-kernel',
    { exit: 5, hint: 'Run `cordon up` to see why' },
    'Cannot start Cordon in the background',
  )
}

/** Where another command was faster, ours must not come up later and take the home after that one has ended. */
async function withoutRival(api: OpenApi, ours: StartedKernel): Promise<OpenApi> {
  const { pid } = await api.call('ping', {})
  if (pid !== ours.pid) ours.stop()
  return api
}

function parsePort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new CordonError(
    'main.port',
    { exit: 2, hint: 'Set CORDON_PORT to a number from 0 to 65535, or leave it out' },
    `Cannot listen on port ${JSON.stringify(text)}`,
  )
}

/** The error that a background kernel leaves as its last words. */
function parseFailure(words: string | undefined): ErrorBody | undefined {
  try {
    return (JSON.parse(words ?? '') as { error?: ErrorBody }).error
  } catch {
    return undefined
  }
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new CordonError(
      'main.no-folder',
      { exit: 5, hint: 'Change to a folder that exists, for example with `cd ~`' },
      'Cannot work in the current folder: it was removed',
      cause,
    )
  }
}
