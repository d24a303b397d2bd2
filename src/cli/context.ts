/** Handed to every command: a terminal to write to, a way to ask the kernel, and the few things only the whole house can do. */
import type { Problem } from '../kernel/problem.ts'
import type { Command } from 'commander'
import type { KernelClient, OpenApi } from '../api/client.ts'
import type { Api } from '../api/contract.ts'
import type { DoctorCheck } from '../kernel/doctor-check.ts'
import type { ExitCode } from '../kernel/error.ts'
import { createOutput, type Output } from './output.ts'

export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Understands no escape sequences (TERM=dumb): nothing is drawn that is taken away again. */
  readonly isDumb: boolean
  /** A line typed at a prompt on standard error; undefined when the person leaves, or `signal` aborts. */
  typeLine(
    question: { readonly prompt: string; readonly isHidden: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined>
}

export interface KnowsNode {
  (name: string): boolean
  takesFlag(node: string, flag: string): boolean
}

/** The command line's view of the house. */
export interface Surface extends KernelClient {
  readonly version: string
  readonly terminal: Terminal
  readonly workingFolder: string
  doctor(signal: AbortSignal): Promise<readonly DoctorCheck[]>
  /** Whether a name is one of the nodes that are there without any server. */
  isBuiltInNode(name: string): Promise<boolean>
  /** The shell's part in a flow whose `>>` had no quotes and that was typed after `program`; undefined where it had none. */
  findShellMistake(
    words: readonly string[],
    knowNodes: () => Promise<KnowsNode>,
    program: string,
  ): Promise<Problem | undefined>
  /** Hands `use` the text as the person left it in their editor, and the file it is in; that one stays where `use` fails. */
  edit(draft: {
    readonly name: string
    readonly text: string
    readonly use: (text: string, file: string) => Promise<void>
  }): Promise<void>
  /** Talks in this terminal until the person leaves. */
  chat(api: Api, signal: AbortSignal): Promise<void>
}

export interface Context {
  readonly surface: Surface
  readonly signal: AbortSignal
  /** For an answer that is bad news: it was given, and the exit code says so too. */
  endWith(code: ExitCode): void
}

export interface GlobalOptions {
  readonly json?: boolean
  /** commander's spelling of `--no-daemon`. */
  readonly daemon: boolean
}

export function outputOf(context: Context, command: Command): Output {
  const options = command.optsWithGlobals<GlobalOptions>()
  return createOutput(context.surface.terminal, options.json === true)
}

/** Runs `ask` against the running kernel; without one, starts it, or is it for as long as `ask` takes. */
export async function withApi<T>(
  context: Context,
  command: Command,
  ask: (api: Api) => Promise<T>,
): Promise<T> {
  const { daemon } = command.optsWithGlobals<GlobalOptions>()
  await using api = await openApi(context, daemon)
  return await ask(api)
}

async function openApi(context: Context, daemon: boolean): Promise<OpenApi> {
  const { surface } = context
  if (!daemon) return await surface.openKernel({ page: false })
  return (await surface.findKernel()) ?? (await startWithNotice(surface))
}

/** Says so when it takes longer than a person would wait in silence. */
async function startWithNotice(surface: Surface): Promise<OpenApi> {
  const notice = setTimeout(() => {
    surface.terminal.stderr.write('cordon: starting in the background …\n')
  }, 700)
  try {
    return await surface.startKernel()
  } finally {
    clearTimeout(notice)
  }
}
