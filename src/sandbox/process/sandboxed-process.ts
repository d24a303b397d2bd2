/** A running server process: its streams, its end, and the steps that stop it. After its end, no descendant is left. */
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  ConnectionSource,
  MemoryLayer,
  ProcessEnd,
  SandboxedProcess,
} from '../../kernel/sandbox-port.ts'
import type { Cgroup } from '../launch/cgroup.ts'
import type { Listener, ParkedStart } from '../launch/parked-start.ts'
import { processEnd } from './process-end.ts'
import type { ProcessTree } from './process-tree.ts'
import { treeMemory } from './tree-memory.ts'
import { startWatchdog } from './watchdog.ts'

export interface StopTimings {
  /** From closing stdin to SIGTERM. */
  readonly politeMs: number
  /** From SIGTERM to SIGKILL. */
  readonly firmMs: number
}

export interface Holding {
  readonly tree: ProcessTree
  readonly memoryLayer: MemoryLayer
  readonly memoryLimitBytes: number
  readonly cgroup: Cgroup | undefined
  readonly timings: StopTimings
}

/** Owns the process from here on. */
export function sandboxedProcess(parked: ParkedStart, holding: Holding): SandboxedProcess {
  const { tree } = holding
  const ended = watchEnd(parked, holding)
  let stopping: Promise<ProcessEnd> | undefined
  const stop = () => (stopping ??= descend(parked, holding, ended))
  return {
    pid: tree.rootPid,
    stdin: parked.stdin,
    stdout: parked.stdout,
    stderr: parked.stderr.readable,
    memoryLayer: holding.memoryLayer,
    ...waysOf(parked),
    ended,
    memoryBytes: () => treeMemory(tree.rootPid),
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

function watchEnd(parked: ParkedStart, holding: Holding): Promise<ProcessEnd> {
  const { tree, cgroup } = holding
  const watchdog = startWatchdog(tree, cgroup ? undefined : holding.memoryLimitBytes)
  return new Promise((resolve) => {
    const finish = async (code: number | null, signal: string | null) => {
      for (const { listener } of parked.ways) listener.close()
      await tree.gone()
      watchdog[Symbol.dispose]()
      const memoryExceeded = watchdog.bit || (cgroup?.exceeded() ?? false)
      await cgroup?.remove()
      await settles(parked.stderr.closed, LAST_WORDS_MS) // bounded: an unread stderr never closes
      resolve(processEnd({ code, signal, memoryExceeded, lastWords: parked.stderr.text() }))
    }
    const { child } = parked
    if (child.exitCode !== null || child.signalCode !== null) {
      void finish(child.exitCode, child.signalCode)
    } else {
      child.once('exit', (code, signal) => void finish(code, signal))
    }
  })
}

/** How long to wait for stderr that was written just before the end. */
const LAST_WORDS_MS = 100

/** Close stdin, wait, SIGTERM, wait, SIGKILL. */
async function descend(
  parked: ParkedStart,
  { tree, timings }: Holding,
  ended: Promise<ProcessEnd>,
): Promise<ProcessEnd> {
  parked.stdin.end()
  if (await settles(ended, timings.politeMs)) return await ended
  await tree.terminate()
  if (await settles(ended, timings.firmMs)) return await ended
  tree.kill()
  return await ended
}

async function settles(ended: Promise<unknown>, withinMs: number): Promise<boolean> {
  const waiting = new AbortController()
  const timeout = delay(withinMs, false, { signal: waiting.signal }).catch(() => false)
  const settled = await Promise.race([ended.then(() => true), timeout])
  waiting.abort()
  return settled
}

function waysOf({ ways }: ParkedStart): Pick<SandboxedProcess, 'connections' | 'tunnels'> {
  const proxy = ways.find(({ to }) => to === undefined)
  return {
    ...(proxy && { connections: connectionsOf(proxy.listener) }),
    tunnels: ways.flatMap(({ to, listener }) => (to ? [{ to, ...connectionsOf(listener) }] : [])),
  }
}

/** Connections that are queued until `onConnection` is called; further ones are closed. */
const MOST_WAITING = 64

function connectionsOf(listener: Listener): ConnectionSource {
  const waiting: Duplex[] = []
  let take = (connection: Duplex) => {
    if (waiting.length < MOST_WAITING) waiting.push(connection)
    else connection.destroy()
  }
  listener.on('connection', (connection) => {
    connection.on('error', () => undefined) // a reset while it waits would end Cordon
    connection.setNoDelay()
    take(connection)
  })
  return {
    onConnection(taker) {
      take = taker
      for (const connection of waiting.splice(0)) taker(connection)
    },
    close: () => void listener.close(),
  }
}
