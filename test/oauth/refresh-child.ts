/** Starts processes that share one home, and exchanges lines with them. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('refresh.child.ts', import.meta.url))

export interface RefreshChild extends AsyncDisposable {
  /** Sets the process's clock, and resolves with the line that it answers. */
  at(time: number): Promise<string>
  kill(): Promise<void>
}

export async function startRefreshChild(
  folder: string,
  port: number,
  way: 'expiry' | 'refusal',
): Promise<RefreshChild> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [script, folder, String(port), way],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => String((await lines.next()).value)
  const ended = once(child, 'close')
  if ((await nextLine()) !== 'ready') throw new Error('The process did not come up')
  return {
    async at(time) {
      child.stdin.write(`${time}\n`)
      return await nextLine()
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
