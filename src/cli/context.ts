/** Handed to every command: the terminal, a client of the kernel, and the few functions that need the whole house. */
import type { Problem } from '../text/problem.ts'
import type { Command } from 'commander'
import type { KernelClient, OpenApi } from '../api/client.ts'
import type { Api } from '../api/contract.ts'
import type { DoctorCheck } from '../text/doctor-check.ts'
import type { VerifyReport } from '../kernel/audit-record.ts'
import type { ExitCode } from '../kernel/error.ts'
import type { KeySource } from '../kernel/vault-status.ts'
import type { PictureProtocol } from './draw-picture.ts'
import { createOutput, type Output } from './output.ts'

export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** The terminal has no escape sequences (TERM=dumb): nothing is drawn that would have to be erased again. */
  readonly isDumb: boolean
  /** The picture protocol of a terminal that names itself. */
  readonly pictures?: PictureProtocol | undefined
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

export interface RestoreWish {
  readonly file: string
  readonly replace: boolean
  /** A file with an age identity. */
  readonly identity?: string
  /** Asked only if a passphrase opens the file. */
  readonly askPassphrase: () => Promise<string>
  readonly onBytes: (bytes: number) => void
}

export interface RestoreAnswer {
  readonly home: string
  readonly members: number
  readonly madeAt: string
  readonly cordon: string
  readonly store: 'sqlite' | 'postgresql'
  readonly vaultKey: KeySource | null
  /** The path at which the earlier home is kept. */
  readonly aside: string | null
  readonly audit: VerifyReport
}

export interface UnitState {
  readonly path: string
  readonly isInstalled: boolean
  readonly isEnabled: boolean
  readonly isActive: boolean
  readonly isLingering: boolean
}

/** The systemd unit that runs Cordon. */
export interface ServiceUnit {
  install(wish: { readonly start: boolean; readonly linger: boolean }): Promise<UnitState>
  status(): Promise<UnitState>
  /** False if there was none. */
  remove(): Promise<boolean>
  readonly vaultKey: KeySource | undefined
  /** The file in which the unit finds settings that are secret. */
  readonly environmentFile: string
}

/** The house as the command line sees it. */
export interface Surface extends KernelClient {
  readonly version: string
  readonly terminal: Terminal
  readonly workingFolder: string
  /** The name of the terminal, such as /dev/pts/3: one conversation; absent where there is none. */
  readonly chatName?: string
  /** Of the person at the terminal: `~` in a path means it. */
  readonly homeFolder: string
  doctor(signal: AbortSignal): Promise<readonly DoctorCheck[]>
  unit(): Promise<ServiceUnit>
  /** Needs no kernel, and refuses while one runs: a backup takes the place of the whole home. */
  restore(wish: RestoreWish, signal: AbortSignal): Promise<RestoreAnswer>
  /** True for a node that exists without any server. */
  isBuiltInNode(name: string): Promise<boolean>
  /** The problem if the shell took an unquoted `>>` for a redirection; `program` is the command before the flow. */
  findShellMistake(
    words: readonly string[],
    knowNodes: () => Promise<KnowsNode>,
    program: string,
  ): Promise<Problem | undefined>
  /** Opens the text in the person's editor and hands the result to `use`; its file stays if `use` fails. */
  edit(draft: {
    readonly name: string
    readonly text: string
    readonly use: (text: string, file: string) => Promise<void>
  }): Promise<void>
  /** Opens a page in the browser of this desktop session; false if there is none. */
  openPage(url: string): Promise<boolean>
  /** Connects standard input and output to the gateway of a running kernel, in the name of a client, until either ends. */
  relay(client: string, signal: AbortSignal): Promise<void>
  /** Runs a chat in this terminal until the person leaves. */
  chat(api: Api, signal: AbortSignal): Promise<void>
}

export interface Context {
  readonly surface: Surface
  readonly signal: AbortSignal
  /** Sets the exit code of an answer that was given but is bad news. */
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

/** Runs `ask` against the running kernel, or starts one; `--no-daemon` opens one in this process instead. */
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

/** Prints a notice if starting takes longer than a person would wait in silence. */
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
