/** Two ways to put a program behind bubblewrap: Cordon's sandbox, and the call that a hurried person would write. */
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { ProcessEnd, Sandbox } from '../../../src/kernel/sandbox-port.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import type { Canaries } from './canaries.ts'

const MB = 2 ** 20

export interface Contained {
  readonly stdout: Readable
  readonly ended: Promise<ProcessEnd>
  stop(): Promise<unknown>
}

export interface Contender {
  start(command: string, args: readonly string[]): Promise<Contained>
  /** The same, with one more folder shown to it read-only. */
  show(folder: string, command: string, args: readonly string[]): Promise<Contained>
}

export function cordon(sandbox: Sandbox, canaries: Canaries): Contender {
  const start = async (
    command: string,
    args: readonly string[],
    readPaths: readonly string[] = [],
  ) => {
    const settings = {
      mode: 'bwrap',
      memoryLimitBytes: 128 * MB,
      readOnlyFs: true,
      allowTmp: true,
      readPaths,
      writePaths: [],
    } as const
    const program = { command, args, environment: { TOKEN: canaries.token }, networked: true }
    const server = parseServerId('escape-artist')
    const running = await sandbox.launch(
      { server, ...program, settings },
      new AbortController().signal,
    )
    running.stderr.resume()
    // Its proxy takes what it says and says nothing.
    running.connections?.onConnection((connection) =>
      connection.on('error', () => undefined).resume(),
    )
    return running
  }
  return { start, show: (folder, command, args) => start(command, args, [folder]) }
}

export function naive(canaries: Canaries): Contender {
  const start = async (command: string, args: readonly string[], more: readonly string[] = []) => {
    const words = [
      ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
      ['--ro-bind', canaries.resolverFile, realpathSync('/etc/resolv.conf')],
      ['--setenv', 'TOKEN', canaries.token, ...more, '--'],
      [command === 'node' ? process.execPath : command, ...args],
    ].flat()
    const child = spawn('bwrap', words, { stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = new Promise<ProcessEnd>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve(signal ? { kind: 'signalled', signal } : { kind: 'exited', code: code ?? 0 })
      })
    })
    const stop = async () => {
      child.kill('SIGKILL')
      return await ended
    }
    return { stdout: child.stdout, ended, stop }
  }
  return {
    start,
    show: (folder, command, args) => start(command, args, ['--ro-bind', folder, '/mnt']),
  }
}
