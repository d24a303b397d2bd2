/**
 * How an attempt is written: a probe returns the thing it got hold of, or throws the error that stopped it. Only an
 * errno or an explicit `Stopped` counts as stopped; any other error is a fault of the attempt. Runs inside the sandbox.
 */
import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import type { Verdict } from '../verdict.ts'

/** Targets and parameters for the escape artist, passed as JSON in its argument. */
export interface Aim {
  readonly attempts: readonly number[]
  readonly keyFile: string
  readonly homes: string
  readonly packageFolder: string
  readonly hostSecret: string
  readonly leakedFile: string
  readonly hostPid: number
  readonly sharedKey: number
  readonly abstractSocket: string
  readonly pathSocket: string
  readonly hostPort: number
  /** The port of the escape artist's own proxy. */
  readonly proxyPort: number
  /** An allowed host that must answer before the attempt counts; empty: none. */
  readonly reachable: string
  /** How long the artist waits for the proxy to close the connections that it has opened. */
  readonly patienceMs: number
  /** Further parameters of attempts on the proxy. */
  readonly words: Readonly<Record<string, string>>
}

export type Probe = () => string | Promise<string>
export type Probes = Readonly<Record<string, Probe>>
export type Attempts = Readonly<Record<number, (aim: Aim) => Probes>>

export class Stopped extends Error {}

export async function judge(probe: Probe): Promise<Verdict> {
  try {
    return { kind: 'got', what: (await probe()).slice(0, 200) }
  } catch (error) {
    if (error instanceof Stopped) return { kind: 'stopped', by: error.message }
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (code in constants.errno || code === 'EAI_AGAIN') return { kind: 'stopped', by: code }
    return { kind: 'failed', why: String((error as Error).stack) }
  }
}

/** The same probe for each value, named after the value. */
export function forEach<T extends string | number>(
  all: readonly T[],
  probe: (one: T) => string | Promise<string>,
): Probes {
  return Object.fromEntries(all.map((one) => [String(one), () => probe(one)]))
}

/** A system call's number on this machine. */
export function call(x64: number, arm64: number): number {
  return process.arch === 'arm64' ? arm64 : x64
}

/** Perl makes the system calls that Node cannot. Its program calls `got(result)`, or `stop()` to be stopped by `$!`. */
export function perl(program: string): string {
  const preface =
    'use strict; sub got { print "GOT $_[0]"; exit } sub stop { print "NO ", $! + 0; exit } '
  const { stdout, stderr, error } = spawnSync('/usr/bin/perl', ['-e', preface + program], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (error) throw new Error('Perl does not run', { cause: error })
  const [, kind, rest = ''] = /^(GOT|NO) (.*)/.exec(stdout) ?? []
  if (kind === 'GOT') return rest
  const name = Object.entries(constants.errno).find(([, number]) => String(number) === rest)?.[0]
  if (kind !== 'NO' || name === undefined) throw new Error(`Perl said ${stdout} ${stderr}`)
  throw new Stopped(name)
}

/** A system call by its number; `args` as Perl writes them. */
export function systemCall(number: number, args: string, before = ''): string {
  return perl(
    `${before}; my $r = syscall(${number}${args && ', '}${args}); $r >= 0 ? got($r) : stop()`,
  )
}
