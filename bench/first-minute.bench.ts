/**
 * The first minute of a newcomer without a network: a clean copy of this tree with its dependencies, an empty home, and
 * loopback as the only interface. Drives the real program, as typed; each step has two seconds. Wall time depends on
 * what else the machine does, so the processor time of everything that a step started is printed beside it.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WalkedStep } from './first-minute/walk.ts'
import type { BenchReport } from './report.ts'

const MOST_SECONDS = 2

const root = fileURLToPath(new URL('../', import.meta.url))

export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-first-minute-'))
  try {
    const tree = path.join(folder, 'cordon')
    copyTree(tree)
    return report(walk(tree, path.join(folder, 'person')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The files that a clone would have, as they are now, and the installed dependencies as links to the same bytes. */
function copyTree(tree: string): void {
  mkdirSync(tree)
  const listed = runHere('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  for (const file of listed.split('\0').filter((one) => existsSync(path.join(root, one)))) {
    if (file !== '') cpSync(path.join(root, file), path.join(tree, file))
  }
  runHere('cp', ['-al', path.join(root, 'node_modules'), tree])
}

/** In namespaces of its own: no way out, and a /proc that shows only the processes of the walk. */
function walk(tree: string, home: string): readonly WalkedStep[] {
  mkdirSync(home)
  const script = path.join(tree, 'bench', 'first-minute', 'walk.ts')
  const apart = ['--net', '--pid', '--fork', '--mount-proc', '--kill-child']
  const rights = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const inside = [
    'sh',
    '-c',
    'ip link set lo up && exec "$@"',
    'sh',
    process.execPath,
    script,
    home,
  ]
  return JSON.parse(runHere('unshare', [...apart, ...rights, ...inside])) as readonly WalkedStep[]
}

function runHere(command: string, args: readonly string[]): string {
  const most = 64 * 2 ** 20
  const ran = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: most })
  if (ran.status !== 0) throw new Error(`${command} ended with ${ran.stderr || ran.error?.message}`)
  return ran.stdout
}

function report(steps: readonly WalkedStep[]): BenchReport {
  return {
    figures: steps.map(({ name, processorSeconds }) => {
      return { name: `${name}, processor time`, value: processorSeconds, unit: 's' }
    }),
    bars: steps.map(({ name, seconds }) => {
      return { name, value: seconds, unit: 's', kind: 'most', limit: MOST_SECONDS }
    }),
  }
}
