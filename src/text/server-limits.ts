/**
 * The limits of a server that an owner can set, in its own file or for all in `config.toml`: their names, how they are
 * written, their bounds and defaults. Pure.
 */
import { MEMORY_SIZE, memoryBytes } from './memory-size.ts'

/** A limit that the owner set, and in which file. */
export interface SetLimit {
  readonly value: number
  readonly from: 'server' | 'config'
}

/** `idleMs` is 0 for a server that is never stopped. */
export type LimitName = 'idleMs' | 'restarts' | 'callMs' | 'memoryBytes'

/** The limits that are set; each of the others has its default. */
export type ServerLimits = { readonly [K in LimitName]?: SetLimit }

/** Limits as a person writes them in one command; `default` takes one out of the file. */
export interface LimitChanges {
  readonly idle?: string
  readonly restarts?: number | 'default'
  readonly callTimeout?: string
  readonly memoryLimit?: string
}

export const DEFAULT_LIMITS: Readonly<Record<LimitName, number>> = {
  idleMs: 30 * 60_000,
  restarts: 3,
  callMs: 30_000,
  memoryBytes: 256 * 2 ** 20,
}

/** Every limit as it holds, and the origin of its value. */
export type LimitsInForce = {
  readonly [K in LimitName]: {
    readonly value: number
    readonly from: SetLimit['from'] | 'catalog' | 'default'
  }
}

/** `memoryBytes` is the limit in force: the catalog raises it for a service that needs more. */
export function limitsInForce(set: ServerLimits = {}, memoryBytes: number): LimitsInForce {
  const inForce = (name: LimitName) =>
    set[name] ?? { value: DEFAULT_LIMITS[name], from: 'default' as const }
  const memory = inForce('memoryBytes')
  return {
    idleMs: inForce('idleMs'),
    restarts: inForce('restarts'),
    callMs: inForce('callMs'),
    memoryBytes: memory.value === memoryBytes ? memory : { value: memoryBytes, from: 'catalog' },
  }
}

export const DEFAULT_MAX_RUNNING = 10

/** From here on a server is said to use much memory. */
export const HEAVY_BYTES = 100_000_000

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

type WrittenLimit = 'idle' | 'restarts' | 'call_timeout' | 'memory'

/** The key of each limit under `[limits]`, with its expected form and how it is read. */
export const LIMIT_KEYS: Readonly<Record<WrittenLimit, LimitKey>> = {
  idle: {
    name: 'idleMs',
    expected: 'expected a time from "10s" to "720h", or "never"',
    read: (value) => (value === 'never' ? 0 : readTime(value, 10_000, 720 * 3_600_000)),
  },
  restarts: {
    name: 'restarts',
    expected: 'expected a whole number from 0 to 100',
    read: (value) => readCount(value, 0, 100),
  },
  call_timeout: {
    name: 'callMs',
    expected: 'expected a time from "1s" to "24h"',
    read: (value) => readTime(value, 1000, 24 * 3_600_000),
  },
  memory: {
    name: 'memoryBytes',
    expected: 'expected a size like "256m" or "1g"',
    read: (value) =>
      typeof value === 'string' && MEMORY_SIZE.test(value) ? memoryBytes(value) : undefined,
  },
}

export interface LimitKey {
  readonly name: LimitName
  readonly expected: string
  /** Undefined if the value does not fit. */
  read(value: unknown): number | undefined
}

export function readCount(value: unknown, least: number, most: number): number | undefined {
  // smol-toml reads integers as numbers; a text is never taken for one
  const isCount = typeof value === 'number' && Number.isInteger(value)
  return isCount && value >= least && value <= most ? value : undefined
}

function readTime(value: unknown, leastMs: number, mostMs: number): number | undefined {
  if (typeof value !== 'string' || !/^[1-9]\d{0,8}[smh]$/.test(value)) return undefined
  const ms = parseInt(value, 10) * (UNITS_MS[value.slice(-1)] ?? 0)
  return ms >= leastMs && ms <= mostMs ? ms : undefined
}

/** A limit as it is written in a file: `30m`, `never`, `3`, `256m`. */
export function showLimit(name: LimitName, value: number): string {
  if (name === 'restarts') return String(value)
  if (name === 'memoryBytes') return showSize(value)
  if (value === 0) return 'never'
  const [unit, size] = Object.entries(UNITS_MS).findLast(([, ms]) => value % ms === 0) ?? ['ms', 1]
  return `${value / size}${unit}`
}

function showSize(bytes: number): string {
  if (bytes % 2 ** 30 === 0) return `${bytes / 2 ** 30}g`
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20}m` : `${Math.round(bytes / 2 ** 10)}k`
}
