/** Starts Cordon's own kernel in the background, for a command that found none running. Never a server: those get a sandbox. */
import { spawn } from 'node:child_process'

export interface KernelCommand {
  readonly node: string
  readonly entry: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where its standard output and error go; opened by the caller. */
  readonly outputFd: number
}

export interface StartedKernel {
  readonly pid: number | undefined
  hasExited(): boolean
  /** Asks it to end, for when it turns out not to be needed. */
  stop(): void
}

const FLAGS = ['--disallow-code-generation-from-strings']
const COMMAND = ['up', '--background', '--json']

/** Returns when the process exists. It lives on after this one, in a session of its own. */
export function startKernel(command: KernelCommand): Promise<StartedKernel> {
  const args = [...FLAGS, command.entry, ...COMMAND]
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
      resolve({
        pid: child.pid,
        hasExited: () => child.exitCode !== null || child.signalCode !== null,
        stop: () => child.kill('SIGTERM'),
      })
    })
  })
}
