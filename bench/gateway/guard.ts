/**
 * `node guard.ts PID FOLDER`: waits until the measurement at the other end of its standard input is gone, however it
 * ended, then ends every process that it started and removes its folder. Runs in a process group of its own, so that
 * Ctrl-C does not reach it.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endMarked } from './gateway-processes.ts'

const file = fileURLToPath(import.meta.url)

/** Disposed: everything is ended and removed. */
export function openGuard(folder: string): AsyncDisposable {
  const guard = spawn(process.execPath, [file, String(process.pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => guard.once('close', resolve))
  return {
    async [Symbol.asyncDispose]() {
      guard.stdin?.end()
      await ended
    },
  }
}

if (process.argv[1] === file) {
  const [, , pid = '', folder = ''] = process.argv
  for await (const _chunk of process.stdin) continue
  await endMarked(`${pid}-`)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
