/** A gateway that was started, with everything it started itself: found by a variable in the environment. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../fixtures/until.ts'

const VARIABLE = 'GATEWAY_CONFORMANCE'

export interface PeerProcess extends AsyncDisposable {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  start(args: readonly string[]): void
}

export function openPeerProcess(name: string): PeerProcess {
  const folder = mkdtempSync(path.join(tmpdir(), `gateway-conformance-${name}-`))
  const mark = path.basename(folder)
  const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, [VARIABLE]: mark }
  return {
    folder,
    environment,
    start(args) {
      spawn(process.execPath, args, { cwd: folder, env: environment, stdio: 'ignore' })
    },
    async [Symbol.asyncDispose]() {
      for (let pids = marked(mark); pids.length > 0; pids = marked(mark)) {
        for (const pid of pids) end(pid)
        await pause(20)
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function marked(mark: string): readonly number[] {
  const has = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${VARIABLE}=${mark}\0`)
    } catch {
      return false // it has ended
    }
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && has(pid))
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended by itself
  }
}

export async function listening(port: number): Promise<void> {
  const isOpen = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
  await until(isOpen)
}
