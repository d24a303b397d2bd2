/**
 * A machine that runs out of memory, stood in for by a cgroup around Cordon: the kernel kills Cordon, its largest process,
 * during a start or while a server runs. Nothing is left of it.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findCgroupParent } from '../../src/sandbox/launch/cgroup.ts'
import { until } from '../fixtures/until.ts'

const parent = findCgroupParent()
const skip = parent === undefined ? 'no cgroup can be written here' : false
/** From too little for Node to enough for a start. */
const MEGABYTES = [12, 16, 20, 24, 64]
const ENOUGH = 160
const folders: string[] = []
after(() => folders.forEach((folder) => rmdirSync(folder)))

function makeGroup(megabytes: number): string {
  const folder = path.join(parent?.folder ?? '', `pressure-${process.pid}-${megabytes}`)
  mkdirSync(folder)
  folders.push(folder)
  const isFirst = parent?.layer === 'cgroup1'
  if (!isFirst) writeFileSync(path.join(folder, 'cgroup.subtree_control'), '+memory')
  const limit = isFirst ? 'memory.limit_in_bytes' : 'memory.max'
  writeFileSync(path.join(folder, limit), String(megabytes * 2 ** 20))
  return folder
}

interface Ran {
  readonly said: string
  readonly signal: string | null
}

async function runIn(folder: string, program: string): Promise<Ran> {
  const child = fileURLToPath(new URL(program, import.meta.url))
  const words = ['-c', 'echo $$ > "$0"; exec "$@"', path.join(folder, 'cgroup.procs')]
  const cordon = spawn('sh', [...words, process.execPath, child], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  cordon.stdout.on('data', (chunk: Buffer) => (said += String(chunk)))
  const [, signal] = (await once(cordon, 'close')) as [number | null, string | null]
  return { said, signal }
}

/** Of the group, and of those of its servers. */
async function untilEmpty(folder: string): Promise<void> {
  const files = () => globSync(`${folder}/**/cgroup.procs`)
  await until(() => files().every((file) => readFileSync(file, 'utf8') === ''))
  for (const group of globSync(`${folder}/cordon-*`)) rmdirSync(group)
}

test('SANDBOX-5: nothing is left of a start for which there was no memory', { skip }, async () => {
  const outcomes: Ran[] = []
  for (const megabytes of MEGABYTES) {
    const folder = makeGroup(megabytes)
    outcomes.push(await runIn(folder, 'launch-once.child.ts'))
    await untilEmpty(folder)
  }
  assert.equal(outcomes[0]?.signal, 'SIGKILL')
  assert.equal(outcomes.at(-1)?.said, 'it ran\n')
})

test('SANDBOX-5: a server ends with a Cordon that was killed for want of memory', {
  skip,
}, async () => {
  const folder = makeGroup(ENOUGH)
  assert.deepEqual(await runIn(folder, 'grow-beside-server.child.ts'), {
    said: 'launched',
    signal: 'SIGKILL',
  })
  await untilEmpty(folder)
})
