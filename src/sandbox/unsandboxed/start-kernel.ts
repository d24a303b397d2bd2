/** Starts Cordon's own kernel in the background, for a command that found none running. Never a server: those get a sandbox. */
import { spawn } from 'node:child_process'

export interface KernelCommand {
  readonly node: string
  readonly entry: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface StartedKernel extends Disposable {
  readonly pid: number | undefined
  /** The output of a kernel that has ended; undefined while it runs. A kernel that comes up prints nothing. */
  lastWords(): string | undefined
  /** Asks it to end, for when it turns out not to be needed. */
  stop(): void
}

/** As `bin/kernel-flags.cjs` has them: it will hold secrets, so no text becomes code and no debugger opens. */
const FLAGS = [
  '--disallow-code-generation-from-strings',
  '--disable-sigusr1',
  '--no-inspect',
  '--no-inspect-brk',
  '--no-inspect-wait',
]
const COMMAND = ['up', '--background', '--json']

/** Returns when the process exists. It lives on after this one, in a session of its own; dispose lets go of it. */
export function startKernel(command: KernelCommand): Promise<StartedKernel> {
  const child = spawn(command.node, [...FLAGS, command.entry, ...COMMAND], {
    cwd: '/',
    detached: true,
    env: { ...command.environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  let ended = false
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  child.once('close', () => {
    ended = true
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      resolve({
        pid: child.pid,
        lastWords: () => (ended ? said : undefined),
        stop: () => child.kill('SIGTERM'),
        [Symbol.dispose]() {
          child.stdout.destroy()
          child.unref()
        },
      })
    })
  })
}
