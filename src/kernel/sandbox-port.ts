/** The port of the sandbox. The sandbox room alone starts processes; every other room asks through this. */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { DoctorCheck } from '../text/doctor-check.ts'
import type { SandboxSettings } from './server-definition.ts'
import type { ServerId } from './server-id.ts'
import type { Tunnel } from '../text/tunnel.ts'

export interface LaunchSpec {
  readonly server: ServerId
  /** A program name or an absolute path; never a shell command line. */
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment of the process, secrets included; only variables that the sandbox needs are added. */
  readonly environment: Readonly<Record<string, string>>
  readonly settings: SandboxSettings
  /** PEM. The authority that every program inside is told to trust, since all its TLS ends in the proxy. */
  readonly authority?: string
  /** The owner agreed that this very launch may happen without a sandbox. Without it, mode `none` is refused. */
  readonly dangerouslyUnsandboxed?: boolean
  /** Adds a listener in the process's own network namespace, as its way to the proxy. False: no network at all. */
  readonly networked: boolean
  /** Hosts that are reached directly, each through its own listener; the host's name resolves to that listener. */
  readonly tunnels?: readonly Tunnel[]
  readonly socketsAt?: string // it may make Unix sockets, in a folder of its own at this path
  /** Asked once, while the sandbox is built; the program starts only after this resolves, and never if it rejects. */
  readonly goAhead?: () => Promise<unknown>
}

/** The mechanism that enforces the memory limit, strongest first. */
export type MemoryLayer = 'cgroup2' | 'cgroup1' | 'rlimit+watchdog'

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  /** Killed because it exceeded its memory limit. */
  | { readonly kind: 'memory' }

export interface SandboxedProcess extends AsyncDisposable {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly memoryLayer: MemoryLayer
  /** Connections of the process to its proxy; absent without a network. */
  readonly connections?: ConnectionSource
  readonly tunnels: readonly TunnelSource[]
  readonly sockets?: string // the folder of its sockets on the host; absent without a sandbox
  /** Settles when the whole process tree has ended; never rejects. */
  readonly ended: Promise<ProcessEnd>
  /** The memory of the whole process tree; undefined if it cannot be read. */
  memoryBytes(): Promise<number | undefined>
  /** Close stdin, 5 s, SIGTERM, 3 s, SIGKILL; the whole tree. Dispose does the same. */
  stop(): Promise<ProcessEnd>
}

/** Connections from one sandbox. Their listener is in its network namespace, so no other process reaches it. */
export interface ConnectionSource {
  onConnection(take: (connection: Duplex) => void): void
  /** Further connections are refused by the system, at no cost to this process; those that are open stay. */
  close(): void
}

/** Connections that all go to the same host and port. */
export interface TunnelSource extends ConnectionSource {
  readonly to: Tunnel
}

/** Starts a process in a sandbox, or refuses with the remedy; never with less isolation than the settings ask for. */
export interface Sandbox {
  launch(spec: LaunchSpec, signal: AbortSignal): Promise<SandboxedProcess>
  checks(signal: AbortSignal): Promise<readonly DoctorCheck[]>
}
