/** What the command line needs from the house: an API to ask, a terminal to write to, a kernel to run. */
import type { Api } from '../kernel/api.ts'
import type { DoctorCheck } from '../kernel/doctor-check.ts'

export interface OpenApi extends Api, AsyncDisposable {}

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

export interface RunningKernel extends OpenApi {
  /** Settles when something else asks the kernel to stop. */
  readonly stopped: Promise<void>
}

export interface KnowsNode {
  (name: string): boolean
  takesFlag(node: string, flag: string): boolean
}

export interface Surface {
  readonly version: string
  readonly terminal: Terminal
  readonly workingFolder: string
  /** The kernel that is already running, or undefined. */
  findKernel(): Promise<OpenApi | undefined>
  /** A kernel in this process; it holds the home until it is disposed. */
  openKernel(options: { readonly page: boolean }): Promise<RunningKernel>
  /** A kernel in the background, ready to answer. */
  startKernel(): Promise<OpenApi>
  doctor(signal: AbortSignal): Promise<readonly DoctorCheck[]>
  /** Whether a name is one of the nodes that are there without any server. */
  isBuiltInNode(name: string): Promise<boolean>
  /** What the shell did to a flow whose `>>` had no quotes; undefined where it did nothing. */
  findShellMistake(
    words: readonly string[],
    knowNodes: () => Promise<KnowsNode>,
  ): Promise<{ readonly message: string; readonly hint: string } | undefined>
  /** Hands `use` the text as the person left it in their editor, and the file it is in; that one stays where `use` fails. */
  edit(draft: {
    readonly name: string
    readonly text: string
    readonly use: (text: string, file: string) => Promise<void>
  }): Promise<void>
  /** Talks in this terminal until the person leaves. */
  chat(api: Api, signal: AbortSignal): Promise<void>
}
