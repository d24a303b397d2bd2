/**
 * Builds the surface for command line and library: a client that can start or be a kernel, and the few functions that
 * need the whole house. Each room is loaded only when it is needed.
 */
import { readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { createClient, type KernelClient } from '../api/client.ts'
import type { ChatPlace } from '../channels/chat-lines.ts'
import type { Surface, Terminal } from '../cli/context.ts'
import { pictureProtocol } from '../cli/draw-picture.ts'
import type { StartEditor } from '../cli/edit-text.ts'
import { CordonError } from '../kernel/error.ts'
import type { EgressParts } from '../egress/create-egress.ts'
import { createMachineWork } from './machine-work.ts'

export interface Settings {
  readonly version: string
  readonly homePath: string
  /** The port as text; 0 takes any free one. */
  readonly port: string
  readonly databaseUrl: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The program's own file, to start it again in the background. */
  readonly entry: string
  /** This process has no terminal, so it can put a server's question to a person only if it serves a page. */
  readonly isUnattended?: boolean
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
  const isUnattended = !process.stdin.isTTY
  const client = createKernelClient({ ...settings, isUnattended })
  const openPage = async (url: string): Promise<boolean> => {
    const browser = await import('../sandbox/unsandboxed/open-page.ts')
    return await browser.openPage(url, settings.environment)
  }
  return {
    ...client,
    version: settings.version,
    terminal: createTerminal(settings.environment),
    homeFolder: homedir(),
    ...terminalChat(),
    get workingFolder() {
      return currentFolder()
    },
    ...createMachineWork(settings, client),
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
    openPage,
    async relay(name, signal) {
      const { relayClient } = await import('../api/relay-client.ts')
      const passing = await import('../sandbox/unsandboxed/passed-streams.ts')
      const { homePath } = settings
      await relayClient({ homePath, name, terminal: process, ...passing }, signal)
    },
    async chat(api, signal) {
      const { runTerminalChat } = await import('../channels/terminal-chat.ts')
      const { createApiChat } = await import('../channels/api-chat.ts')
      const place = placeOf(process.stdout, settings.environment['TERM'])
      await runTerminalChat(createApiChat(api, place, openPage), signal)
    },
  }
}

function createTerminal(environment: Settings['environment']): Terminal {
  const { stdin, stdout, stderr } = process
  const { TERM: term, TERM_PROGRAM } = environment
  return {
    stdin,
    stdout,
    stderr,
    isDumb: isDumb(term),
    pictures: stdout.isTTY ? pictureProtocol({ TERM: term, TERM_PROGRAM }) : undefined,
    async typeLine(question, signal) {
      const { typeLine } = await import('../channels/type-line.ts')
      return await typeLine(placeOf(stderr, term), question, signal)
    },
  }
}

function placeOf(output: NodeJS.WriteStream, term: string | undefined): ChatPlace {
  const folder = currentFolder()
  const { chatName: chat } = terminalChat()
  const here = { folder, ...(chat !== undefined && { chat }) }
  return { input: process.stdin, output, isDumb: !output.isTTY || isDumb(term), ...here }
}

/** A terminal window keeps its conversation when the program is started again in it. */
function terminalChat(): { readonly chatName?: string } {
  if (!process.stdin.isTTY) return {}
  try {
    return { chatName: readlinkSync('/proc/self/fd/0').slice(0, 100) }
  } catch {
    return {} // no /proc, as on macOS: all terminals are one conversation
  }
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
