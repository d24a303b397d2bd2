/**
 * The second wall of a sandbox: the start program with the rules of a server and without any, in turns, against a whole
 * start of a small program in its sandbox.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { parseServerId } from '../src/kernel/server-id.ts'
import { START_PROGRAM, startArguments, writeSheets } from '../src/sandbox/launch/start-program.ts'
import { pinPath } from '../src/home/pin-path.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { landlockRules } from '../src/sandbox/plan/landlock-rules.ts'
import { placesFor } from '../src/sandbox/plan/places.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 100
const SETTINGS = {
  mode: 'bwrap',
  memoryLimitBytes: 256 * 2 ** 20,
  readOnlyFs: true,
  allowTmp: true,
  readPaths: [],
  writePaths: [],
} as const

const RULES = landlockRules({
  settings: SETTINGS,
  mounts: [{ source: process.execPath, target: process.execPath, writable: false }],
  beside: [],
  places: placesFor({ networked: true }),
})

export async function run(): Promise<BenchReport> {
  await using stack = new AsyncDisposableStack()
  const home = mkdtempSync(path.join(tmpdir(), 'cordon-bench-landlock-'))
  stack.defer(() => rmSync(home, { recursive: true }))
  const options = { nodePath: process.execPath, cordonHome: home, userHome: homedir() }
  const sandbox = stack.use(await openSandbox({ ...options, pinPath }))
  const whole = async (): Promise<void> => {
    const spec = { server: parseServerId('one'), command: 'node', args: ['-e', '0'] }
    const rest = { environment: {}, settings: SETTINGS, networked: true }
    const running = await sandbox.launch({ ...spec, ...rest }, new AbortController().signal)
    running.stdout.resume()
    await running.ended
  }
  const ways = [() => startOnly([]), () => startOnly(RULES), whole]
  const samples: number[][] = ways.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, way] of ways.entries()) {
      const began = performance.now()
      await way()
      samples[index]?.push(performance.now() - began)
    }
  }
  const [without, walled, start] = samples.map((times) => quantile(times, 0.5)) as [
    number,
    number,
    number,
  ]
  const added = walled - without
  return {
    figures: [
      { name: 'start program without rules p50', value: without, unit: 'ms' },
      { name: 'start program with rules p50', value: walled, unit: 'ms' },
      { name: 'start of a small Node program in its sandbox p50', value: start, unit: 'ms' },
    ],
    bars: [
      {
        name: 'added by Landlock to a start',
        value: (added / start) * 100,
        unit: '%',
        limit: 2,
        kind: 'most',
      },
    ],
  }
}

/** The start program, which then becomes `true`. */
async function startOnly(walls: readonly string[]): Promise<void> {
  const start = { command: ['/bin/true'], environment: {}, walls, filters: [] }
  const words = ['--no-new-privs', 'perl', '-e', START_PROGRAM, ...startArguments(4, [])]
  const child = spawn('setpriv', words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'] })
  const ended = once(child, 'exit')
  await once(child, 'message')
  const feed = child.stdio[4] as Writable
  feed.end(writeSheets(start, () => new Map())('cgroup2'))
  const [code] = await ended
  if (code !== 0) throw new Error(`The start program ended with ${String(code)}`)
}
