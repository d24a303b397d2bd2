/**
 * Starts a process that stops before its first line and waits for its sheet. Whatever must be true before the server
 * runs (its listener, its cgroup) is made true in that pause. Never through a shell; no descriptor but those given.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Place } from '../plan/places.ts'
import type { User } from './unprivileged-user.ts'
import { type StderrTail, tapStderr } from '../process/stderr-tail.ts'
import type { Warden } from '../process/warden.ts'

/** A listening end in the sandbox's own network. */
export interface Listener {
  on(event: 'connection', take: (connection: Duplex & { setNoDelay(): unknown }) => void): unknown
  close(): unknown
}

/** Where the server's connections come out. */
export interface Way extends Place {
  readonly listener: Listener
}

export interface StartOptions {
  /** The program and its arguments. */
  readonly words: readonly string[]
  readonly identity: User | undefined
  /** Where it listens, in this order. */
  readonly places: readonly Place[]
  /** What is written to each descriptor from 6 on, then closed. */
  readonly feeds: readonly (string | Uint8Array)[]
  readonly warden: Warden
}

export interface ParkedStart {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: StderrTail
  /** What bubblewrap tells about the process it made, as JSON; never settles without bubblewrap. */
  readonly info: Promise<string>
  readonly ways: readonly Way[]
  /** Hands the sheet over; the server's first line runs after this. */
  release(sheet: string): void
}

/** After the three of a program and Node's channel. */
export const SHEET_DESCRIPTOR = 4
export const INFO_DESCRIPTOR = 5
export const FIRST_FEED = 6

/** Long enough for a machine on its knees, short enough to be told. */
const DEADLINE_MS = 15_000
const LAST_WORDS_MS = 200
const LAST_CHANCE_MS = 2_000

/** Rejects with what the process said when it ends, or is aborted, before it is ready. Nothing of it is left then. */
export async function startParked(
  options: StartOptions,
  signal: AbortSignal,
): Promise<ParkedStart> {
  signal.throwIfAborted()
  const [command = '', ...args] = options.words
  const child = spawn(command, args, {
    cwd: '/',
    env: {},
    detached: true, // a process group of its own, to end it by
    stdio: [
      'pipe',
      'pipe',
      'pipe',
      'ipc',
      'pipe',
      'pipe',
      ...options.feeds.map(() => 'pipe' as const),
    ],
    ...options.identity,
  })
  const pipes = child.stdio as readonly (Duplex | null | undefined)[]
  for (const pipe of pipes) pipe?.on('error', () => undefined) // it may end without reading
  child.on('error', () => undefined) // whoever waits for it hears of it
  options.warden.watch(child) // before the feeds: without them bubblewrap ends by itself
  options.feeds.forEach((feed, index) => pipes[FIRST_FEED + index]?.end(feed))
  const info = readObject(pipes[INFO_DESCRIPTOR] as Readable)
  const stderr = tapStderr(pipes[2] as Readable)
  const release = (sheet: string) => {
    pipes[SHEET_DESCRIPTOR]?.end(sheet)
    if (child.connected) child.disconnect()
  }
  const { places } = options
  const ways = await ready({ child, stderr, places, abandon: () => release('') }, signal)
  return {
    child,
    stdin: pipes[0] as Writable,
    stdout: pipes[1] as Readable,
    stderr,
    info,
    ways,
    release,
  }
}

interface Waiting {
  readonly child: ChildProcess
  readonly stderr: StderrTail
  readonly places: readonly Place[]
  /** An empty sheet: the program inside ends by itself. */
  readonly abandon: () => void
}

/** Given up, it is asked to end before it is killed. Nothing of it is left, even where it was killed (see `warden.ts`). */
function ready(waiting: Waiting, signal: AbortSignal): Promise<readonly Way[]> {
  const { child, stderr, places } = waiting
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  return new Promise((resolve, reject) => {
    let lastChance: NodeJS.Timeout | undefined
    const ways: Way[] = []
    const closeAll = () => ways.forEach(({ listener }) => listener.close())
    const giveUp = () => {
      waiting.abandon()
      lastChance = setTimeout(() => killGroup(child), LAST_CHANCE_MS)
    }
    limit.addEventListener('abort', giveUp, { once: true })
    child.on('message', (_, handle) => {
      const place = places[ways.length]
      if (place && handle) ways.push({ ...place, listener: handle as Listener })
      if (limit.aborted) closeAll()
      if (limit.aborted || ways.length < places.length) return
      limit.removeEventListener('abort', giveUp)
      resolve(ways)
    })
    child.once('error', reject)
    child.once('exit', () => {
      limit.removeEventListener('abort', giveUp)
      clearTimeout(lastChance)
      closeAll()
      killGroup(child)
      const tell = () => {
        reject(limit.aborted ? (limit.reason as Error) : new Error(stderr.text().trim()))
      }
      void Promise.race([stderr.closed, delay(LAST_WORDS_MS)]).then(tell, tell)
    })
  })
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // it is gone already
  }
}

function readObject(pipe: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    pipe.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('}')) resolve(text)
    })
  })
}
