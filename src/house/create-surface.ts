/**
 * Builds the surface for command line and library: a client that can start or be a kernel, and the few functions that
 * need the whole house. Each room is loaded only when it is needed.
 */
import path from 'node:path'
import { createClient, type KernelClient } from '../api/client.ts'
import type { ChatPlace } from '../channels/chat-lines.ts'
import type { Surface, Terminal } from '../cli/context.ts'
import type { StartEditor } from '../cli/edit-text.ts'
import { CordonError } from '../kernel/error.ts'
import type { EgressParts } from '../egress/create-egress.ts'

export interface Settings {
  readonly version: string
  readonly homePath: string
  /** The port as text; 0 takes any free one. */
  readonly port: string
  readonly databaseUrl: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The program's own file, to start it again in the background. */
  readonly entry: string
  /** Replaces the network outside; only tests set it. */
  readonly outside?: Outside
}

export type Outside = Omit<EgressParts, 'owner' | 'audit' | 'log' | 'now'>

export function createKernelClient(settings: Settings): KernelClient {
  return createClient({
    socketPath: path.join(settings.homePath, 'run', 'cordon.sock'),
    async open(options) {
      const { openHouse } = await import('./open-house.ts')
      return await openHouse({ ...settings, ...options, port: parsePort(settings.port) })
    },
    async start() {
      const { startKernel } = await import('../sandbox/unsandboxed/start-kernel.ts')
      return await startKernel({ ...settings, node: process.execPath })
    },
  })
}

export function createSurface(settings: Settings): Surface {
  const client = createKernelClient(settings)
  return {
    ...client,
    version: settings.version,
    terminal: createTerminal(settings.environment['TERM']),
    get workingFolder() {
      return currentFolder()
    },
    async doctor(signal) {
      await using running = await client.findKernel().catch(() => undefined)
      if (running) return (await running.call('doctor', {}, signal)).checks
      const { runDoctor } = await import('./run-doctor.ts')
      return await runDoctor({ homePath: settings.homePath }, signal)
    },
    async isBuiltInNode(name) {
      const { BUILT_IN_NODES } = await import('../flows/nodes/built-in-nodes.ts')
      return BUILT_IN_NODES.some(({ id, aliases }) => id === name || aliases.includes(name))
    },
    async findShellMistake(words, knowNodes, program) {
      const { findShellMistake } = await import('../cli/flow/find-shell-mistake.ts')
      const { decideShellMistake: decide } = await import('../flows/grammar/shell-mistake.ts')
      return await findShellMistake(words, knowNodes, { program, folder: currentFolder(), decide })
    },
    async edit(draft) {
      const { editText } = await import('../cli/edit-text.ts')
      const { startEditor } = await import('../sandbox/unsandboxed/start-editor.ts')
      const { environment } = settings
      const start: StartEditor = (editor, file) => startEditor({ editor, file, environment })
      return await editText(draft, environment, start)
    },
    async chat(api, signal) {
      const { runTerminalChat } = await import('../channels/terminal-chat.ts')
      const { createApiChat } = await import('../channels/api-chat.ts')
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
      const { typeLine } = await import('../channels/type-line.ts')
      return await typeLine(placeOf(stderr, term), question, signal)
    },
  }
}

function placeOf(output: NodeJS.WriteStream, term: string | undefined): ChatPlace {
  return { input: process.stdin, output, isDumb: !output.isTTY || isDumb(term) }
}

/** As in git: a terminal without TERM counts as dumb. */
function isDumb(term: string | undefined): boolean {
  return !term || term === 'dumb'
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
