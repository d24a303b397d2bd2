/** The built command line against bare Node: whole processes, side by side, in one interleaved run. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 30
const SERVERS = 10

const root = fileURLToPath(new URL('../', import.meta.url))
const launcher = path.join(root, 'bin', 'cordon.cjs')

const contenders = {
  'node -e 0': ['-e', '0'],
  'cordon --version': [launcher, '--version'],
  'cordon --help': [launcher, '--help'],
  'cordon mcp list --json': [launcher, 'mcp', 'list', '--json'],
} as const

export async function run(): Promise<BenchReport> {
  const home = mkdtempSync(path.join(tmpdir(), 'cordon-bench-cli-'))
  const environment = { ...process.env, CORDON_HOME: home, CORDON_PORT: '0' }
  const start = (args: readonly string[]) => {
    const began = performance.now()
    const child = spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' })
    if (child.status !== 0) throw new Error(`${args.join(' ')} ended with ${child.stderr}`)
    return performance.now() - began
  }
  try {
    const build = spawnSync('npm', ['run', 'build'], { cwd: root, encoding: 'utf8' })
    if (build.status !== 0) throw new Error(build.stderr)
    start([launcher, 'up', '--detach'])
    writeServers(path.join(home, 'mcp'))
    return report(measure(start))
  } finally {
    start([launcher, 'down'])
    rmSync(home, { recursive: true })
  }
}

function writeServers(folder: string): void {
  for (let number = 0; number < SERVERS; number++) {
    const toml = `name = "Server ${number}"\n[server]\ncommand = "true"\n`
    writeFileSync(path.join(folder, `server-${number}.toml`), toml)
  }
}

function measure(start: (args: readonly string[]) => number): Map<string, number[]> {
  const samples = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, args] of Object.entries(contenders)) {
      const taken = start(args)
      if (round > 2) samples.set(name, [...(samples.get(name) ?? []), taken])
    }
  }
  return samples
}

function report(samples: ReadonlyMap<string, readonly number[]>): BenchReport {
  const median = (name: keyof typeof contenders) => quantile(samples.get(name) ?? [], 0.5)
  const ratio = (name: keyof typeof contenders, limit: number) => ({
    name: `${name} vs bare Node`,
    value: median(name) / median('node -e 0'),
    unit: '×',
    limit,
    kind: 'most' as const,
  })
  return {
    figures: [...samples].map(([name, taken]) => ({
      name: `${name} p50`,
      value: quantile(taken, 0.5),
      unit: 'ms',
    })),
    bars: [ratio('cordon --version', 2.5), ratio('cordon mcp list --json', 2.5)],
  }
}
