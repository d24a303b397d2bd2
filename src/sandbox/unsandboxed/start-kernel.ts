/** Starts Cordon's own kernel in the background, for a command that found none running. Never starts a server. */
import { spawn } from 'node:child_process'

export interface KernelCommand {
  readonly node: string
  readonly entry: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface StartedKernel extends Disposable {
  readonly pid: number | undefined
  /** Output of a kernel that has ended; undefined while the kernel runs. */
  lastWords(): string | undefined
  /** Sends SIGTERM, when the kernel turns out not to be needed. */
  stop(): void
}

/** The same as in `bin/kernel-flags.cjs`, which says why. */
const FLAGS = [
  '--disallow-code-generation-from-strings',
  '--disable-sigusr1',
  '--no-inspect',
  '--no-inspect-brk',
  '--no-inspect-wait',
  '--max-semi-space-size=16',
]
const COMMAND = ['up', '--background', '--json']

/** The command line of a kernel that runs in the foreground and asks nobody, for whatever keeps it running. */
export function foregroundCommand(node: string, entry: string): readonly string[] {
  return [node, ...FLAGS, entry, 'up', '--no-chat']
}

/** Settles when the process exists. The kernel outlives this process, in a session of its own; dispose only lets go. */
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
