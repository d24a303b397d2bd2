/** How a process is put behind a cordon. The sandbox room alone starts processes; everyone else asks through this. */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { DoctorCheck } from './doctor-check.ts'
import type { SandboxSettings } from './server-definition.ts'
import type { ServerId } from './server-id.ts'
import type { Tunnel } from '../text/tunnel.ts'

export interface LaunchSpec {
  readonly server: ServerId
  /** A program name or an absolute path; never a line for a shell. */
  readonly command: string
  readonly args: readonly string[]
  /** Exactly what the process sees, secrets included; nothing of the host's own is added but what the sandbox needs. */
  readonly environment: Readonly<Record<string, string>>
  readonly settings: SandboxSettings
  /** The owner agreed that this very launch may happen without a sandbox. Without it, mode `none` is refused. */
  readonly dangerouslyUnsandboxed?: boolean
  /** Whether it gets a way out: a listener in its own network namespace. Without it there is no network at all. */
  readonly networked: boolean
  /** Hosts it reaches directly, each by a listener of its own; the host's name resolves to that listener. */
  readonly tunnels?: readonly Tunnel[]
  /** The sandbox is built meanwhile, and the first line of the program runs only after this resolves; where it rejects, nothing runs. */
  readonly goAhead?: Promise<unknown>
}

/** The mechanism that enforces the memory limit, strongest first. */
export type MemoryLayer = 'cgroup2' | 'cgroup1' | 'rlimit+watchdog'

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  /** It exceeded its memory limit and was ended for it. */
  | { readonly kind: 'memory' }

export interface SandboxedProcess extends AsyncDisposable {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly memoryLayer: MemoryLayer
  /** Connections that the process makes to its proxy; absent without a network. */
  readonly connections?: ConnectionSource
  readonly tunnels: readonly TunnelSource[]
  /** Settles when the whole tree is gone; never rejects. */
  readonly ended: Promise<ProcessEnd>
  /** The memory of the whole tree, in bytes; undefined where it cannot be read. */
  memoryBytes(): Promise<number | undefined>
  /** Close stdin, 5 s, SIGTERM, 3 s, SIGKILL; the whole tree. Dispose does the same. */
  stop(): Promise<ProcessEnd>
}

/** Connections from inside one sandbox. The listener lies in that sandbox's own network, so nobody else can connect to it. */
export interface ConnectionSource {
  onConnection(take: (connection: Duplex) => void): void
}

/** Connections that all lead to the same host and port. */
export interface TunnelSource extends ConnectionSource {
  readonly to: Tunnel
}

/** Starts a process behind a cordon, or refuses with the remedy; never with less isolation than was asked for. */
export interface Sandbox {
  launch(spec: LaunchSpec, signal: AbortSignal): Promise<SandboxedProcess>
  checks(signal: AbortSignal): Promise<readonly DoctorCheck[]>
}
