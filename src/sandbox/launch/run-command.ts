/** Runs a small helper program to its end, with a deadline and a bounded output. Never through a shell. */
import { type ExecFileException, execFile } from 'node:child_process'

export interface CommandResult {
  /** Undefined when the program could not be started or did not end in time. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

export function runCommand(
  command: string,
  args: readonly string[],
  signal: AbortSignal,
  identity?: { readonly uid: number; readonly gid: number },
): Promise<CommandResult> {
  const limits = { timeout: 5_000, maxBuffer: 64 * 1024 }
  const options = { ...limits, signal, env: { PATH: SYSTEM_PATH }, ...identity }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ exitCode: exitCodeOf(error), stdout, stderr })
    })
  })
}

function exitCodeOf(error: ExecFileException | null): number | undefined {
  if (!error) return 0
  return typeof error.code === 'number' ? error.code : undefined
}

/** The folders where system programs are looked up. The caller's own PATH is never used. */
export const SYSTEM_FOLDERS: readonly string[] = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
]
const SYSTEM_PATH = SYSTEM_FOLDERS.join(':')
