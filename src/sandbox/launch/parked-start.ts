/**
 * Starts a process parked: before the server's first line it waits for its sheet (limits, command line, environment).
 * Its listeners and its cgroup are set up in that pause. Never through a shell; no descriptor but those given.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Place } from '../plan/places.ts'
import type { User } from './unprivileged-user.ts'
import { type StderrTail, tapStderr } from '../process/stderr-tail.ts'
import type { Warden } from '../process/warden.ts'

/** A listening socket in the sandbox's own network namespace, handed out to Cordon. */
export interface Listener {
  on(event: 'connection', take: (connection: Duplex & { setNoDelay(): unknown }) => void): unknown
  close(): unknown
}

/** A place with its listener, on which Cordon accepts the server's connections. */
export interface Way extends Place {
  readonly listener: Listener
}

export interface StartOptions {
  /** The program and its arguments. */
  readonly words: readonly string[]
  readonly identity: User | undefined
  /** Addresses to listen on; the listeners arrive in this order. */
  readonly places: readonly Place[]
  /** Contents of the descriptors from 6 on; each one is closed once it is written. */
  readonly feeds: readonly (string | Uint8Array)[]
  readonly warden: Warden
  /** Called with the JSON of `info` as soon as it is there, while the sandbox is still being made. */
  readonly onInfo?: (info: string) => void
}

export interface ParkedStart {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: StderrTail
  /** JSON that bubblewrap writes to `--info-fd` about the process it made; never settles without bubblewrap. */
  readonly info: Promise<string>
  readonly ways: readonly Way[]
  /** Sends the sheet; the server's first line runs only after this. */
  release(sheet: string): void
}

/** 0 to 2 are the standard streams, 3 is Node's IPC channel. */
export const SHEET_DESCRIPTOR = 4
export const INFO_DESCRIPTOR = 5
export const FIRST_FEED = 6

/** Long enough for an overloaded machine, short enough for a person to wait for the error. */
const DEADLINE_MS = 15_000
const LAST_WORDS_MS = 200
const LAST_CHANCE_MS = 2_000

/** If the process ends before it is ready, rejects with its stderr or the abort reason. No process is left then. */
export async function startParked(
  options: StartOptions,
  signal: AbortSignal,
): Promise<ParkedStart> {
  signal.throwIfAborted()
  const [command = '', ...args] = options.words
  const child = spawn(command, args, {
    cwd: '/',
    env: {},
    detached: true, // a process group of its own, so that all of it can be killed
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
  child.on('error', () => undefined) // listened to first: without descriptors left, the child has no pipes
  if (child.pid === undefined) throw await failureOf(child)
  const pipes = child.stdio as readonly (Duplex | null | undefined)[]
  for (const pipe of pipes) pipe?.on('error', () => undefined) // EPIPE: the process may end without reading
  options.warden.watch(child) // before the feeds: without them bubblewrap ends by itself
  options.feeds.forEach((feed, index) => pipes[FIRST_FEED + index]?.end(feed))
  const info = readObject(pipes[INFO_DESCRIPTOR] as Readable)
  if (options.onInfo) void info.then(options.onInfo)
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

/** Of a process that could not be started. */
async function failureOf(child: ChildProcess): Promise<Error> {
  const [error] = (await once(child, 'error')) as [Error]
  return error
}

interface Waiting {
  readonly child: ChildProcess
  readonly stderr: StderrTail
  readonly places: readonly Place[]
  /** Sends an empty sheet, at which the start program inside exits. */
  readonly abandon: () => void
}

/** On abort or timeout asks the process to end, and kills it after 2 s. Even then none is left (see `warden.ts`). */
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
    // the group is gone already
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
