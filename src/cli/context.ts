/** What every command is handed: the output, the house, and one way to ask the kernel. */
import type { Command } from 'commander'
import type { Api } from '../kernel/api.ts'
import type { ExitCode } from '../kernel/error.ts'
import { createOutput, type Output } from './output.ts'
import type { OpenApi, Surface } from './surface.ts'

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
