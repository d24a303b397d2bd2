/** Types what a newcomer types, one command after the other, and times each. Prints the steps as JSON; sends nothing. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

export interface WalkedStep {
  readonly name: string
  readonly seconds: number
  /** Of all processes, those of the kernel and its servers included. */
  readonly processorSeconds: number
}

const TICKS_PER_SECOND = 100
const root = fileURLToPath(new URL('../../', import.meta.url))
const home = process.argv[2] ?? ''
const notes = path.join(home, 'notes')
const steps: WalkedStep[] = []

const environment = {
  PATH: process.env['PATH'],
  LANG: 'C.UTF-8',
  HOME: home,
  CORDON_PORT: '0', // the usual port may be in use outside; nothing else differs from a fresh machine
}

assert.deepEqual(Object.keys(networkInterfaces()), ['lo'])
mkdirSync(notes)
writeFileSync(path.join(notes, 'plan.txt'), 'tea at five\n')
using database = new DatabaseSync(path.join(home, 'shop.db'))
database.exec("CREATE TABLE tea (name TEXT, grams INTEGER); INSERT INTO tea VALUES ('Assam', 250)")

let kernel = await step('npm start', start)
await step('connect filesystem with its folder', () =>
  cordon('connect', 'filesystem', '--read', notes),
)
await step('list a folder', async () => {
  assert.match(
    await cordon('mcp', 'call', 'filesystem.list_directory', 'path=~/notes'),
    /plan\.txt/,
  )
})
await step('read a file', async () => {
  const read = await cordon('mcp', 'call', 'filesystem.read_text_file', 'path=~/notes/plan.txt')
  assert.match(read, /tea at five/)
})
await step('connect memory', () => cordon('connect', 'memory'))
await step('keep a fact', async () => {
  const entities = [{ name: 'Ann', entityType: 'person', observations: ['likes Assam'] }]
  await cordon('mcp', 'call', 'memory.create_entities', '--yes', JSON.stringify({ entities }))
})
await step('restart', async () => {
  await stop(kernel)
  kernel = await start()
})
await step('find the fact again', async () => {
  assert.match(await cordon('mcp', 'call', 'memory.search_nodes', 'query=Ann'), /likes Assam/)
})
await step('connect a SQLite file', () =>
  cordon('connect', 'sqlite', '--read', path.join(home, 'shop.db')),
)
await step('query it', async () => {
  const found = await cordon('mcp', 'call', 'sqlite.query', 'sql=SELECT name, grams FROM tea')
  assert.match(found, /Assam/)
})
await stop(kernel)
process.stdout.write(JSON.stringify(steps))

async function step<T>(name: string, act: () => Promise<T>): Promise<T> {
  const before = { wall: performance.now(), processor: processorSeconds() }
  const result = await act()
  const seconds = (performance.now() - before.wall) / 1000
  steps.push({ name, seconds, processorSeconds: processorSeconds() - before.processor })
  return result
}

/** As `npm start` runs it; resolves when it says how to stop it. */
async function start(): Promise<ChildProcess> {
  const child = run([path.join(root, 'scripts', 'start.cjs')])
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString()
      if (said.includes('Ctrl-C')) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', () => reject(new Error(`npm start ended: ${said}`)))
  })
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await cordon('down')
  await ended
}

async function cordon(...words: readonly string[]): Promise<string> {
  const child = run([path.join(root, 'bin', 'cordon.cjs'), ...words])
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(code, 0, `${words.slice(0, 3).join(' ')}: ${said}`)
  return said
}

function run(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: home,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Ended processes are counted by the process that waited for them, so each counts once (proc_pid_stat(5)). */
function processorSeconds(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const ticks = pids.flatMap((pid) => ticksOf(pid)).reduce((sum, one) => sum + one, 0)
  return ticks / TICKS_PER_SECOND
}

/** utime, stime, cutime and cstime; empty when the process is gone. */
function ticksOf(pid: string): readonly number[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).map(Number)
  } catch {
    return []
  }
}
