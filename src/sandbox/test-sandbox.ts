/** A sandbox room for tests in a temporary folder, and helpers to read output and find processes. */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { LaunchSpec, SandboxedProcess } from '../kernel/sandbox-port.ts'
import type { SandboxSettings } from '../kernel/server-definition.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { never } from '../kernel/test-never.ts'
import { pinByName } from '../kernel/test-pin-path.ts'
import { openSandbox } from './open-sandbox.ts'

export const MB: number = 2 ** 20
type Wishes = Partial<Omit<LaunchSpec, 'settings'>> & {
  readonly settings?: Partial<SandboxSettings>
  readonly signal?: AbortSignal
}

type Start<T> = (command: string, args: readonly string[], wishes?: Wishes) => Promise<T>

export interface TestSandbox {
  readonly folder: string
  readonly launch: Start<SandboxedProcess>
  /** Runs a program to its end and returns its standard output. */
  readonly run: Start<string>
}

const SETTINGS: SandboxSettings = {
  mode: 'bwrap',
  memoryLimitBytes: 256 * MB,
  readOnlyFs: true,
  allowTmp: true,
  readPaths: [],
  writePaths: [],
}

export async function openTestSandbox(): Promise<TestSandbox> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-sandbox-'))
  chmodSync(folder, 0o755)
  const sandbox = await openSandbox({
    nodePath: process.execPath,
    cordonHome: path.join(folder, 'home', '.cordon'),
    userHome: path.join(folder, 'home'),
    timings: { politeMs: 300, firmMs: 300 },
    pinPath: pinByName,
  })
  after(async () => {
    await sandbox[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  const specOf = (command: string, args: readonly string[], wishes: Wishes): LaunchSpec => {
    const base = { server: parseServerId('one'), environment: {}, networked: false }
    return { ...base, command, args, ...wishes, settings: { ...SETTINGS, ...wishes.settings } }
  }
  const launch: TestSandbox['launch'] = (command, args, wishes = {}) =>
    sandbox.launch(specOf(command, args, wishes), wishes.signal ?? never)
  const run: TestSandbox['run'] = async (command, args, wishes) => {
    const running = await launch(command, args, wishes)
    const heard = listen(running)
    assert.deepEqual(await running.ended, { kind: 'exited', code: 0 }, heard.errors)
    return heard.text
  }
  return { folder, launch, run }
}

export function listen(running: SandboxedProcess): {
  readonly text: string
  readonly errors: string
} {
  const heard = { text: '', errors: '' }
  running.stdout.on('data', (chunk: Buffer) => (heard.text += chunk.toString()))
  running.stderr.on('data', (chunk: Buffer) => (heard.errors += chunk.toString()))
  return heard
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 300_000
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `It never came about: ${String(holds)}`)
    await delay(5)
  }
}

/** Command lines of every process on this machine. */
export function commandLines(): string {
  return pids().map(commandLine).join('\n')
}

/** Pids of processes whose command line contains `text`. A process that has ended has no command line. */
export function processesWith(text: string): readonly number[] {
  return pids().filter((pid) => commandLine(pid).includes(text))
}

function pids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
