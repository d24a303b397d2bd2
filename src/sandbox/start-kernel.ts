/** Starts Cordon's own kernel in the background, for a command that found none running. Never a server: those get a sandbox. */
import { spawn } from 'node:child_process'

export interface KernelCommand {
  readonly node: string
  readonly entry: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where its standard output and error go; opened by the caller. */
  readonly outputFd: number
}

/** Returns when the process exists. It lives on after this one, in a session of its own. */
export function startKernel(command: KernelCommand): Promise<{ readonly pid: number }> {
  const args = ['--disallow-code-generation-from-strings', command.entry, 'up', '--background']
  return new Promise((resolve, reject) => {
    const child = spawn(command.node, args, {
      cwd: '/',
      detached: true,
      env: { ...command.environment },
      stdio: ['ignore', command.outputFd, command.outputFd],
    })
    child.once('error', reject)
    child.once('spawn', () => {
      child.unref()
      resolve({ pid: child.pid ?? 0 })
    })
  })
}
