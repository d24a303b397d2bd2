/**
 * A machine that runs out of memory while a server starts, stood in for by a cgroup around Cordon: the kernel then kills
 * Cordon, its warden, bubblewrap or the server, whichever is the largest. Whatever it kills, nothing is left, and a Cordon
 * that lives says one sentence.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findCgroupParent } from '../../src/sandbox/launch/cgroup.ts'
import { until } from '../fixtures/until.ts'

const child = fileURLToPath(new URL('launch-once.child.ts', import.meta.url))
const parent = findCgroupParent()
/** From too little for Node to enough for a start; in between, the start itself is what does not fit. */
const MEGABYTES = [...Array.from({ length: 16 }, (_, step) => 12 + step), 64]
const folders: string[] = []
after(() => folders.forEach((folder) => rmdirSync(folder)))

function makeGroup(megabytes: number): string {
  const folder = path.join(parent?.folder ?? '', `pressure-${process.pid}-${megabytes}`)
  mkdirSync(folder)
  folders.push(folder)
  const limits =
    parent?.layer === 'cgroup1'
      ? ['memory.limit_in_bytes']
      : ['memory.max', 'memory.high', 'cgroup.subtree_control']
  for (const file of limits) {
    const value = file.startsWith('cgroup') ? '+memory' : String(Math.floor(megabytes * 2 ** 20))
    writeFileSync(path.join(folder, file), value)
  }
  return folder
}

async function launchIn(folder: string): Promise<string> {
  const script = `echo $$ > "$0"; exec "$@"`
  const words = ['-c', script, path.join(folder, 'cgroup.procs'), process.execPath, child]
  const cordon: ChildProcess = spawn('sh', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  cordon.stdout?.on('data', (chunk: Buffer) => (said += String(chunk)))
  let errors = ''
  cordon.stderr?.on('data', (chunk: Buffer) => (errors += String(chunk)))
  const [code, signal] = (await once(cordon, 'close')) as [number | null, string | null]
  if (signal === 'SIGKILL') return 'killed'
  if (said === 'it ran\n') return 'ran'
  // Node ends itself where V8 gets no memory, before or after a line of Cordon has run.
  if (signal !== null || /out of memory|allocation failed|Cannot allocate/i.test(errors))
    return 'no memory'
  if (said === '' && code === 0) return 'server killed' // it was launched, and did not live to say its words
  const told = JSON.parse(said) as { readonly message: string }
  assert.match(told.message, /^Cannot start|^Cannot make a sandbox/)
  return 'said so'
}

function processesIn(folder: string): string {
  return globSync(`${folder}/**/cgroup.procs`)
    .map((file) => readFileSync(file, 'utf8'))
    .join('')
}

const skip = parent === undefined ? 'no cgroup can be written here' : false
test('SANDBOX-5: a machine without memory is left nothing by a start that did not fit', {
  skip,
}, async (t) => {
  const outcomes: string[] = []
  for (const megabytes of MEGABYTES) {
    const folder = makeGroup(megabytes)
    outcomes.push(await launchIn(folder))
    await until(() => processesIn(folder) === '')
    for (const group of globSync(`${folder}/cordon-*`)) rmdirSync(group)
  }
  t.diagnostic(outcomes.join(', '))
  assert.ok(outcomes.includes('killed') || outcomes.includes('no memory'), outcomes.join())
  assert.equal(outcomes.at(-1), 'ran')
})
